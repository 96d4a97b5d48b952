export type { EraseOptions, ErasureReceipt } from './erasure/erase-user.ts';
export type { ErasedNamespace } from './erasure/tally.ts';
export { MemorySpace } from './memory-space.ts';
export type { MemoryScope, PreambleOptions } from './scope/memory-scope.ts';
export type { TurnOptions } from './scope/turn.ts';
export type { ActorView, InspectOptions, NamespaceDescription, NamespaceView } from './space/inspect.ts';
export type { Grantee, Principal } from './space/principal.ts';
export type {
  AgentMemory,
  MemoryContext,
  MemorySpaceOptions,
  PoolAccess,
  TeamMemory,
  UserData,
} from './space/space-options.ts';
