import { RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import type { StoreKind } from '../backends/store-rows.ts';

/** Runs on its own server. */
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

/** The memory that the server uses, in bytes. */
async function usedMemory(client: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
}
