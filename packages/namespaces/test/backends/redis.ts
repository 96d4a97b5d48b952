import { RedisSessionStore, RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import type { Backend } from './backend.ts';

export const redis: Backend = {
  name: 'redis',
  async start() {
    const server = await startRedis({ own: true });
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

function openRedis(client: Redis, keyPrefix: string) {
  return {
    store: new RedisStore({ client, keyPrefix, name: 'memory' }),
    sessions: new RedisSessionStore({ client, keyPrefix }),
  };
}

async function readAll(client: Redis, keyPrefix: string): Promise<string> {
  const texts: string[] = [];
  for (const key of await client.keys(`${keyPrefix}*`)) {
    texts.push(key, String((await client.dumpBuffer(key))?.toString('latin1')));
  }
  return texts.join('\n');
}
