import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { RedisServer } from './redis-server.ts';
import { startOwnRedis } from './start-redis.ts';

/** A Redis cluster for a test. */
export interface RedisCluster {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  /** The same nodes, to kill and restart. Only `stop` of the cluster stops them. */
  readonly servers: readonly Omit<RedisServer, 'stop'>[];
  /** Stops all nodes and removes their data. */
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const DEADLINE_MS = 30_000;

/** Options of the cluster. */
export interface RedisClusterOptions {
  /** @default 3 */
  readonly masters?: number;
  /** Whether each write reaches the append-only file before it is acknowledged. Else, a restart of a node loses its data. */
  readonly appendOnly?: boolean;
}

/**
 * Starts a cluster of masters without replicas on free ports of 127.0.0.1, even if `REDIS_URL` is set.
 *
 * It takes about 3 s, because a master of a new cluster refuses writes for 2 s.
 */
export async function startRedisCluster({
  masters = 3,
  appendOnly = false,
}: RedisClusterOptions = {}): Promise<RedisCluster> {
  const log = appendOnly ? ['--appendonly', 'yes', '--appendfsync', 'always'] : [];
  const args = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1', ...log];
  const starts = await Promise.allSettled(Array.from({ length: masters }, () => startOwnRedis(args)));
  const servers = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  try {
    for (const start of starts) if (start.status === 'rejected') throw start.reason;
    await join(servers);
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes: servers.map(({ host, port }) => ({ host, port })), servers, stop };
}

/** Assigns the slots, connects the nodes and waits until each node has the whole configuration. */
async function join(servers: readonly RedisServer[]): Promise<void> {
  const clients = servers.map(({ url }) => new Redis(url));
  try {
    await Promise.all(
      clients.map(async (client, index) => {
        await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
        await client.call('CLUSTER', 'ADDSLOTS', ...slotsOf(index, clients.length));
      }),
    );
    for (const { host, port } of servers) await clients[0]?.call('CLUSTER', 'MEET', host, port);
    await Promise.all(clients.map((client) => untilComplete(client, clients.length)));
  } finally {
    for (const client of clients) client.disconnect();
  }
}

function slotsOf(index: number, masters: number): number[] {
  const first = Math.floor((SLOTS * index) / masters);
  const end = Math.floor((SLOTS * (index + 1)) / masters);
  return Array.from({ length: end - first }, (_, offset) => first + offset);
}

async function untilComplete(client: Redis, masters: number): Promise<void> {
  const complete = ['cluster_state:ok', `cluster_slots_ok:${SLOTS}`, `cluster_size:${masters}`];
  for (let waited = 0; ; waited += 20) {
    const info = String(await client.call('CLUSTER', 'INFO'));
    if (complete.every((line) => info.includes(`${line}\r\n`))) return;
    if (waited >= DEADLINE_MS) throw new Error(`The Redis cluster did not form. One node reports:\n${info}`);
    await sleep(20);
  }
}
