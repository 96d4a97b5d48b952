export { agentsModel } from './agents-model.ts';
export type { ContextInjection, RunInjectionContext } from './context-injection.ts';
export { type MemoryRunnerOptions, memoryRunner } from './memory-runner.ts';
export { memoryTools } from './memory-tools.ts';
export { recentHistory } from './recent-history.ts';
export { type RunMemory, type WorkspaceRunnerOptions, workspaceRunner, workspaceTools } from './workspace-runner.ts';
