import { Redis } from 'ioredis';
import { RedisStore, type RedisStoreOptions } from '../../src/index.ts';

/** Opens a store with its own client. */
export function openStore(url: string, options: Partial<RedisStoreOptions> = {}) {
  const client = new Redis(url);
  return { client, store: new RedisStore({ client, name: 'memory', ...options }) };
}
