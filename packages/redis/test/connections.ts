import { once } from 'node:events';
import { type RedisCluster, type RedisServer, startRedis, startRedisCluster } from '@keepsake/services';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';

/** What every test of a file shares. */
export interface Shared<Service, Client> {
  readonly service: Service;
  readonly client: Client;
}

/** A server for the tests of a file, and a client of it. */
export function sharedRedis(): Shared<RedisServer, Redis> {
  return share(
    () => startRedis(),
    ({ url }) => new Redis(url),
  );
}

/** A cluster of three masters for the tests of a file, and a client of it. */
export function sharedCluster(): Shared<RedisCluster, Cluster> {
  return share(
    () => startRedisCluster(),
    ({ nodes }) => new Cluster([...nodes]),
  );
}

function share<Service extends { stop(): Promise<void> }, Client extends Redis | Cluster>(
  start: () => Promise<Service>,
  connect: (service: Service) => Client,
): Shared<Service, Client> {
  const shared: { service?: Service; client?: Client } = {};
  beforeAll(async () => {
    shared.service = await start();
    shared.client = connect(shared.service);
  });
  afterAll(async () => {
    shared.client?.disconnect();
    await shared.service?.stop();
  });
  return shared as Shared<Service, Client>;
}

/** Takes the link from a client: all calls fail until it connects again. */
export async function disconnect(client: Redis | Cluster): Promise<void> {
  const end = once(client, 'end');
  client.disconnect();
  await end;
}

let prefixes = 0;

/** A key prefix that no other test of this server has. Some of its characters mean something to Redis elsewhere. */
export function freshPrefix(): string {
  return `test [${++prefixes}]*:`;
}
