import { RedisSessionStore, RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { type Cluster, Redis } from 'ioredis';
import type { Backend } from './backend.ts';

export const redis: Backend = {
  name: 'redis',
  async start() {
    const server = await startRedis();
    const client = new Redis(server.url);
    let places = 0;
    return {
      place() {
        const keyPrefix = `place-${++places}:`;
        const address = `${server.url} ${keyPrefix}`;
        return { ...openRedis(client, keyPrefix), address, raw: () => readAll(client, keyPrefix) };
      },
      async stop() {
        client.disconnect();
        await server.stop();
      },
    };
  },
  reach(address) {
    const [url = '', keyPrefix = ''] = address.split(' ');
    const client = new Redis(url);
    return { ...openRedis(client, keyPrefix), close: () => client.disconnect() };
  },
};

export function openRedis(client: Redis | Cluster, keyPrefix: string) {
  return {
    store: new RedisStore({ client, keyPrefix, name: 'memory' }),
    sessions: new RedisSessionStore({ client, keyPrefix }),
  };
}

/** The command that reads a whole value, by its type. */
const READ: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  string: ['GET'],
  hash: ['HGETALL'],
  list: ['LRANGE', '0', '-1'],
  set: ['SMEMBERS'],
  zset: ['ZRANGE', '0', '-1', 'WITHSCORES'],
  stream: ['XRANGE', '-', '+'],
};

/** All keys of a server with their values. Not by `DUMP`, which compresses them. */
export async function readAll(client: Redis, keyPrefix: string): Promise<string> {
  const texts: string[] = [];
  for (const key of await client.keys(`${keyPrefix}*`)) {
    const type = await client.type(key);
    // It has expired since it was listed.
    if (type === 'none') continue;
    const [command, ...args] = READ[type] ?? [];
    if (command === undefined) throw new Error(`The test can't read a ${type}.`);
    texts.push(key, textOf(await client.callBuffer(command, key, ...args)));
  }
  return texts.join('\n');
}

function textOf(reply: unknown): string {
  return Array.isArray(reply) ? reply.map(textOf).join('\n') : Buffer.from(reply as Buffer).toString('latin1');
}
