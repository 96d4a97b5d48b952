export type { RedisClient } from './redis-client.ts';
