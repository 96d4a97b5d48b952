import { RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import type { ScaleBackend } from '../backend.ts';

/** On a server of its own, without persistence. */
export const redis: ScaleBackend = {
  name: 'RedisStore',
  reopens: false,
  async open() {
    const server = await startRedis({ own: true });
    const [client, pinging] = [new Redis(server.url), new Redis(server.url)];
    return {
      store: new RedisStore({ client, name: 'bench' }),
      ping: () => pinging.ping(),
      async close() {
        client.disconnect();
        pinging.disconnect();
        await server.stop();
      },
    };
  },
};
