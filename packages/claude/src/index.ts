export { KeepsakeMemoryTool, type KeepsakeMemoryToolOptions } from './keepsake-memory-tool.ts';
export { KeepsakeSessionStore, type KeepsakeSessionStoreOptions } from './keepsake-session-store.ts';
export type { MemoryCommand } from './memory/memory-command.ts';
export type { MemoryWorkspace } from './memory/memory-workspace.ts';
export type { FoldSessionSummary, SessionKey, SessionSummary, TranscriptEntry } from './sessions/session-types.ts';
