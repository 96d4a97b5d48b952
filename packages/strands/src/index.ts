export { AgentTrigger, type AgentTriggerOptions } from './agent-trigger.ts';
export { type AgentInjectionContext, type ContextPluginOptions, contextPlugin } from './context-plugin.ts';
export {
  type ConversationPlugin,
  type ConversationPluginOptions,
  type Conversations,
  conversationPlugin,
  type RestoredRun,
} from './conversation-plugin.ts';
export { type KeepsakeOptions, keepsake } from './keepsake.ts';
export { KeepsakeStorage, type KeepsakeStorageOptions } from './keepsake-storage.ts';
export { strandsModel } from './strands-model.ts';
export { type RunMemory, type WorkspaceOptions, workspace } from './workspace.ts';
