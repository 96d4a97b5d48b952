import { InMemoryStore } from '@keepsake/in-memory';
import { describeEncryptedStore } from '@keepsake/suites/stores/encryption';
import type { Redis } from 'ioredis';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

describeEncryptedStore({
  name: 'RedisStore',
  kitAtNight: true,
  capabilities: {
    search: 'lexical',
    consistency: 'strong',
    durable: true,
    shared: true,
    atomicBatch: true,
    ttl: true,
    enumerate: true,
    filter: true,
    history: true,
  },
  index: () => new InMemoryStore({ name: 'index' }),
  harness() {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    return {
      open: (options) => new RedisStore({ client, keyPrefix, name: 'memory', ...options }),
      stored: () => allValues(client, keyPrefix),
    };
  },
});

/** All keys below a prefix with their values. DUMP would compress them. */
async function allValues(client: Redis, keyPrefix: string): Promise<string> {
  const keys = (await client.keys('*')).filter((key) => key.includes(keyPrefix));
  const values = await Promise.all(keys.map(async (key) => [key, await readKey(client, key)]));
  return Buffer.from(JSON.stringify(values), 'utf8').toString('latin1');
}

async function readKey(client: Redis, key: string): Promise<unknown> {
  switch (await client.type(key)) {
    case 'hash':
      return client.hgetall(key);
    case 'list':
      return client.lrange(key, 0, -1);
    case 'set':
      return client.smembers(key);
    case 'zset':
      return client.zrange(key, 0, '-1');
    default:
      return client.get(key);
  }
}
