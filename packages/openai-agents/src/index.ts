export { type MemoryRunnerOptions, memoryRunner } from './memory-runner.ts';
export { memoryTools } from './memory-tools.ts';
export { recentHistory } from './recent-history.ts';
export { type RunMemory, type WorkspaceRunnerOptions, workspaceRunner, workspaceTools } from './workspace-runner.ts';
