import { RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import type { OpenBackend } from '../backend.ts';
import { INDEXED as indexed } from '../records.ts';

/** On a server of its own, without persistence. */
export async function open(): Promise<OpenBackend> {
  const server = await startRedis({ own: true });
  const client = new Redis(server.url);
  return {
    store: new RedisStore({ client, name: 'bench', indexed }),
    server: { kind: 'redis', url: server.url },
    async close() {
      client.disconnect();
      await server.stop();
    },
  };
}
