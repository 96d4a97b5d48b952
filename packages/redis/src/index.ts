export type { RedisClient, ScriptArgument } from './redis-client.ts';
export { RedisSession, type RedisSessionOptions } from './redis-session.ts';
export { RedisSessionStore } from './redis-session-store.ts';
export { RedisStore, type RedisStoreOptions } from './redis-store.ts';
export type { DamagedItem, OnCorrupt } from './session-damage.ts';
export type { RedisSessionStoreOptions } from './session-options.ts';
