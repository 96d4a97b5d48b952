import { RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
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
        return {
          open: () => new RedisStore({ client, keyPrefix, name: 'memory' }),
          address: `${server.url} ${keyPrefix}`,
        };
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
    return { store: new RedisStore({ client, keyPrefix, name: 'memory' }), close: () => client.disconnect() };
  },
};
