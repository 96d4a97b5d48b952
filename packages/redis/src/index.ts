export type { RedisConnectionOptions } from './client/connection-options.ts';
export type { RedisClient, RedisPipeline, ScriptArgument } from './client/redis-client.ts';
export type { WaitReplicas } from './client/replicated-client.ts';
export { RedisSession, type RedisSessionOptions } from './redis-session.ts';
export { RedisSessionStore } from './redis-session-store.ts';
export { RedisStore, type RedisStoreOptions } from './redis-store.ts';
export type { DamagedItem, OnCorrupt } from './sessions/session-damage.ts';
export type { RedisSessionStoreOptions } from './sessions/session-options.ts';
