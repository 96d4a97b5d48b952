export { agentsModel } from './agents-model.ts';
export type { Decisions, PendingApproval } from './approvals.ts';
export type { ContextInjection, RunInjectionContext } from './context-injection.ts';
export type { ConversationRunOptions, Kept, ResumeOptions, WaitingRun } from './conversation-run-options.ts';
export {
  type ConversationRunner,
  type ConversationRunnerOptions,
  type Conversations,
  conversationRunner,
} from './conversation-runner.ts';
export { type MemoryRunnerOptions, memoryRunner } from './memory-runner.ts';
export { memoryTools } from './memory-tools.ts';
export { recentHistory } from './recent-history.ts';
export { type RunMemory, type WorkspaceRunnerOptions, workspaceRunner, workspaceTools } from './workspace-runner.ts';
