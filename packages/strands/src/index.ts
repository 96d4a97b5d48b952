export { AgentTrigger, type AgentTriggerOptions } from './agent-trigger.ts';
export { type KeepsakeOptions, keepsake } from './keepsake.ts';
export { type RunMemory, type WorkspaceOptions, workspace } from './workspace.ts';
