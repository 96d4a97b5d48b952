import { Redis } from 'ioredis';
import { RedisStore, type RedisStoreOptions } from '../../src/index.ts';

/** A store on a client of its own. */
export function openStore(url: string, options: Partial<RedisStoreOptions> = {}) {
  const client = new Redis(url);
  return { client, store: new RedisStore({ client, name: 'memory', ...options }) };
}
