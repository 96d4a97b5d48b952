import { RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import type { Engine } from './engine.ts';
import { idOf, placeOf } from './entry-ids.ts';

/** Runs on its own server. */
export const keepsakeRedis: Engine = {
  name: 'RedisStore',
  async open() {
    const server = await startRedis({ own: true });
    const client = new Redis(server.url);
    const store = new RedisStore({ client, name: 'bench' });
    return {
      async add(entries) {
        for (const [place, entry] of entries.entries()) await store.put({ ...entry, id: idOf(place) });
      },
      async search(query, limit) {
        const found = await store.search(query, { maxSearchResults: limit });
        return found.map(({ id }) => placeOf(id as string));
      },
      async close() {
        client.disconnect();
        await server.stop();
      },
    };
  },
};
