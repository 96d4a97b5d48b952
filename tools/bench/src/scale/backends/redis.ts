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
    const client = new Redis(server.url);
    return {
      store: new RedisStore({ client, name: 'bench' }),
      server: { kind: 'redis', url: server.url },
      async close() {
        client.disconnect();
        await server.stop();
      },
    };
  },
};
