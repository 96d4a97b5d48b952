import { startRedisCluster } from '@keepsake/services';
import { Cluster } from 'ioredis';
import type { Backend } from './backend.ts';
import { openRedis, readAll } from './redis.ts';

/** A cluster of three masters. Slower than one server, so only tests of all data use it. */
export const redisCluster: Backend = {
  name: 'redis cluster',
  partByDay: true,
  async start() {
    const server = await startRedisCluster();
    const client = new Cluster([...server.nodes]);
    let places = 0;
    return {
      place() {
        const keyPrefix = `place-${++places}:`;
        const raw = async () =>
          (await Promise.all(client.nodes('master').map((node) => readAll(node, keyPrefix)))).join('\n');
        return { ...openRedis(client, keyPrefix), address: undefined, raw };
      },
      async stop() {
        client.disconnect();
        await server.stop();
      },
    };
  },
};
