import { RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import type { StoreKind } from '../backends/store-rows.ts';

/** On a server of its own. */
export const redisStore: StoreKind = {
  name: 'RedisStore',
  async open() {
    const server = await startRedis({ own: true });
    const client = new Redis(server.url);
    return {
      store: new RedisStore({ client, name: 'RedisStore' }),
      usedMemory: () => usedMemory(client),
      async close() {
        client.disconnect();
        await server.stop();
      },
    };
  },
};

/** In bytes; without what the server needs to run. */
async function usedMemory(client: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
}
