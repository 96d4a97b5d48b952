import { type RedisCluster, type RedisServer, startRedis, startRedisCluster } from '@keepsake/services';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import type { RedisClient } from '../src/index.ts';

/** A service and its client, which the tests of a file share. */
export interface Shared<Service, Client> {
  readonly service: Service;
  readonly client: Client;
}

/** A server for the tests of a file, with a client. */
export function sharedRedis(): Shared<RedisServer, Redis> {
  return share(
    () => startRedis(),
    ({ url }) => new Redis(url),
  );
}

let cluster: Promise<RedisCluster> | undefined;

/**
 * A cluster of three masters for all files that this process tests, because it takes seconds to start, with a client. It ends
 * with the process.
 */
export function sharedCluster(): Shared<RedisCluster, Cluster> {
  return share(
    async () => {
      cluster ??= startRedisCluster();
      return { ...(await cluster), stop: async () => {} };
    },
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

/** A client that can be made to fail every call, like a client that has given up reconnecting. */
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

/** A key prefix that no other test on this server uses. Some of its characters are special in other Redis commands. */
export function freshPrefix(): string {
  return `test [${++prefixes}]*:`;
}
