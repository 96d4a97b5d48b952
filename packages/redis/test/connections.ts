import { type RedisCluster, type RedisServer, startRedis, startRedisCluster } from '@keepsake/services';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import type { RedisClient } from '../src/index.ts';

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

/** A client whose link can be taken away: all calls fail then, as those of a client that has given up. */
export function breakable(client: Redis | Cluster) {
  let broken = false;
  const breakableClient = new Proxy<RedisClient>(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) =>
        broken ? Promise.reject(new Error('Connection is closed.')) : value.apply(target, args);
    },
  });
  return {
    client: breakableClient,
    fail() {
      broken = true;
    },
    heal() {
      broken = false;
    },
  };
}

let prefixes = 0;

/** A key prefix that no other test of this server has. Some of its characters mean something to Redis elsewhere. */
export function freshPrefix(): string {
  return `test [${++prefixes}]*:`;
}
