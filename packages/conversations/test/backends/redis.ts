import { RedisStore } from '@keepsake/redis';
import { type RedisServer, startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import type { Backend } from './backend.ts';

export function redis(): Backend {
  let server: RedisServer;
  let client: Redis;
  let places = 0;
  return {
    name: 'RedisStore',
    shared: true,
    hasClock: true,
    partByDay: true,
    async start() {
      server = await startRedis();
      client = new Redis(server.url);
    },
    makePlace() {
      const keyPrefix = `place ${++places}*:`;
      return {
        address: ['redis', server.url, keyPrefix],
        open: () => new RedisStore({ client, keyPrefix, name: 'conversations' }),
      };
    },
    async stop() {
      client.disconnect();
      await server.stop();
    },
  };
}
