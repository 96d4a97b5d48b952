import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisServer, startProxy, startRedis } from '@keepsake/services';
import { describeFaults } from '@keepsake/suites/faults/describe-faults';
import { Redis } from 'ioredis';
import { RedisSession, RedisStore, type WaitReplicas } from '../../src/index.ts';
import type { Use } from '../programs/write-on.ts';

const PROGRAM = join(import.meta.dirname, '../programs/write-on.ts');
const FAILOVER = 'the master is killed and its replica promoted';

/** How long the replica has lagged when the master is killed. */
const LAG_MS = 100;

async function startMaster(...args: string[]): Promise<RedisServer> {
  return startRedis({ own: true, args: ['--repl-diskless-sync-delay', '0', ...args] });
}

/** A replica behind a proxy, which has caught up. */
async function startReplica(master: RedisServer) {
  const link = await startProxy(master);
  const server = await startMaster('--replicaof', link.host, `${link.port}`);
  const client = new Redis(server.url);
  while (!(await client.info('replication')).includes('master_link_status:up')) await sleep(10);
  client.disconnect();
  return { link, server };
}

/** Clients reach the master through a proxy, which is switched to the replica when that is promoted. */
function describeFailover(where: string, waitReplicas: WaitReplicas | undefined): void {
  describeFaults(where, PROGRAM, [FAILOVER], async () => {
    let master = await startMaster();
    let replica = await startReplica(master);
    const proxy = await startProxy(master);
    const through = `redis://${proxy.host}:${proxy.port}`;
    const client = new Redis(through);
    // It reconnects.
    client.on('error', () => {});
    return {
      faults: {
        [FAILOVER]: {
          async inflict(more) {
            replica.link.pause();
            // Without waiting for the replica, changes are acknowledged that it does not have.
            await (waitReplicas ? sleep(LAG_MS) : more());
            await master.kill();
            const promoted = new Redis(replica.server.url);
            await promoted.replicaof('NO', 'ONE');
            promoted.disconnect();
            proxy.switchTo(replica.server);
            await replica.link.stop();
          },
          async repair() {
            await master.stop();
            master = replica.server;
            replica = await startReplica(master);
          },
          losesAcknowledged: waitReplicas === undefined,
        },
      },
      argument: (place, writer) =>
        JSON.stringify({ urls: [through], place, writer, ...(waitReplicas && { waitReplicas }) } satisfies Use),
      open: (place) => ({
        session: new RedisSession({ client, sessionId: place }),
        store: new RedisStore({ client, name: 'memory', namespace: [place] }),
      }),
      async stop() {
        client.disconnect();
        await proxy.stop();
        await replica.link.stop();
        await Promise.all([master.stop(), replica.server.stop()]);
      },
    };
  });
}

describeFailover('on Redis, waiting for its replica', { replicas: 1, timeoutMs: 1_000 });
describeFailover('on Redis, without waiting for its replica', undefined);
