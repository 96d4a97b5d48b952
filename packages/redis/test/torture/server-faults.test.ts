import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy, startRedis, startRedisCluster } from '@keepsake/services';
import { describeFaults } from '@keepsake/suites/faults/describe-faults';
import { Cluster, type Redis } from 'ioredis';
import { RedisSession, RedisStore } from '../../src/index.ts';
import { openStore } from '../programs/open-store.ts';
import type { Use } from '../programs/write-on.ts';

const PROGRAM = join(import.meta.dirname, '../programs/write-on.ts');
const KILLED = 'the server is killed and restarted';
const CUT = 'all connections are cut';
const PAUSED = 'nothing gets through for two seconds';
const FULL = 'the memory of the server is full';
const BUSY = 'a script blocks the server';

describeFaults('on Redis', PROGRAM, [KILLED, CUT, PAUSED, FULL, BUSY], async () => {
  const server = await startRedis({ appendOnly: 'always' });
  const proxy = await startProxy(server);
  const through = `redis://${proxy.host}:${proxy.port}`;
  const { client, store } = openStore(server.url);
  return {
    faults: {
      [KILLED]: { inflict: () => server.kill(), repair: () => server.restart() },
      [CUT]: { inflict: () => proxy.cut(), repair: () => {} },
      [PAUSED]: { inflict: () => proxy.pause(), repair: () => proxy.resume(), lastsMs: 2_000 },
      [FULL]: {
        inflict: () => client.config('SET', 'maxmemory', 1),
        repair: () => client.config('SET', 'maxmemory', 0),
        lastsMs: 200,
      },
      [BUSY]: {
        async inflict() {
          await client.config('SET', 'lua-time-limit', 50);
          const other = client.duplicate();
          // It only reads, so it can be killed.
          other.eval('while true do end', 0).catch(() => other.disconnect());
        },
        async repair() {
          // The script may not have begun yet.
          while (!(await killScript(client))) await sleep(20);
        },
        lastsMs: 500,
      },
    },
    argument: (place, writer) => JSON.stringify({ urls: [through], place, writer } satisfies Use),
    open: (place) => ({ session: new RedisSession({ client, sessionId: place }), store: store.within([place]) }),
    async stop() {
      client.disconnect();
      await proxy.stop();
      await server.stop();
    },
  };
});

const MASTER_KILLED = 'a master is killed and restarted';

describeFaults('on a Redis Cluster', PROGRAM, [MASTER_KILLED], async () => {
  const cluster = await startRedisCluster({ appendOnly: true });
  const client = new Cluster([...cluster.nodes]);
  const store = new RedisStore({ client, name: 'memory' });
  let kills = 0;
  return {
    faults: {
      [MASTER_KILLED]: {
        inflict: () => cluster.servers[kills % 3]?.kill(),
        repair: () => cluster.servers[kills++ % 3]?.restart(),
        lastsMs: 500,
      },
    },
    argument: (place, writer) =>
      JSON.stringify({ urls: cluster.servers.map(({ url }) => url), place, writer } satisfies Use),
    open: (place) => ({ session: new RedisSession({ client, sessionId: place }), store: store.within([place]) }),
    async stop() {
      client.disconnect();
      await cluster.stop();
    },
  };
});

/** Returns `false` if no script is running. */
async function killScript(client: Redis): Promise<boolean> {
  try {
    await client.script('KILL');
    return true;
  } catch (error) {
    if (String(error).includes('NOTBUSY')) return false;
    throw error;
  }
}
