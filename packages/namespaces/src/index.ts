export type { EraseOptions, ErasureReceipt } from './erase-user.ts';
export type { NamespaceView } from './inspect.ts';
export type { MemoryScope, PreambleOptions } from './memory-scope.ts';
export { MemorySpace } from './memory-space.ts';
export type { MigrationResult } from './migrate.ts';
export type { Grantee, Principal } from './principal.ts';
export type { AgentMemory, MemoryContext, MemorySpaceOptions, PoolAccess, TeamMemory } from './space-options.ts';
export type { TurnOptions } from './turn.ts';
