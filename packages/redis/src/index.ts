export type { RedisClient } from './redis-client.ts';
export { RedisStore, type RedisStoreOptions } from './redis-store.ts';
