import { describeRecordStore } from '@keepsake/conformance';
import { InMemoryStore } from '@keepsake/in-memory';
import { LogStore, type LogStoreOptions } from '@keepsake/search';
import { describeSameRanking } from '@keepsake/suites/stores/same-ranking';
import type { Cluster, Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { RedisLogs } from '../src/log/redis-logs.ts';
import { Registry } from '../src/stores/registry.ts';
import { freshPrefix, type Shared, sharedCluster, sharedRedis } from './connections.ts';
import { fakeEmbedder } from './fake-embedder.ts';

/*
 * The records and their order of changes that RedisStore will use: until then it has an index for search of its own. Here the
 * store of `@keepsake/search` is on them.
 */

function open(client: Redis | Cluster, prefix: string, options: Partial<LogStoreOptions> = {}): LogStore {
  const registry = new Registry(client, prefix);
  return new LogStore(
    { name: 'memory', ...options },
    new RedisLogs({ client, prefix, registry, embedder: options.embedder }),
  );
}

function describeLogs(where: string, shared: Shared<unknown, Redis | Cluster>, own: Partial<LogStoreOptions> = {}) {
  describeRecordStore({
    describe,
    it,
    name: `Logs in Redis on ${where}`,
    capabilities: {
      search: own.embedder === undefined ? 'lexical' : 'hybrid',
      consistency: 'strong',
      durable: true,
      shared: true,
      atomicBatch: true,
      ttl: true,
      enumerate: true,
      filter: true,
      history: true,
    },
    harness: () => {
      const prefix = freshPrefix();
      return { open: (options = {}) => open(shared.client, prefix, { ...own, ...options }) };
    },
  });
}

const server = sharedRedis();
describeLogs('one server', server);

describe('every night', { tags: ['nightly'] }, () => {
  describeLogs('one server, with an embedder', server, { embedder: fakeEmbedder });
  describeLogs('a cluster', sharedCluster());
  describeSameRanking('Logs in Redis', {
    open: (options) => open(server.client, freshPrefix(), options),
    memory: (options) => new InMemoryStore({ name: 'memory', ...options }),
    embedder: fakeEmbedder,
  });
});

it('a saved index in Redis is what the next process begins with, until it is damaged or the namespace is compacted', async () => {
  const prefix = freshPrefix();
  const store = open(server.client, prefix);
  await store.putMany(Array.from({ length: 3_000 }, (_, n) => ({ id: `${n}`, content: `heron w${n}` })));
  await store.search('heron');
  await store.within([]).close();
  const key = (await server.client.keys('*')).find((one) => one.startsWith(prefix) && one.endsWith(':index')) as string;
  const found = async () => (await open(server.client, prefix).search('heron w7', { maxSearchResults: 5_000 })).length;
  const saved = async () => (await server.client.hkeys(key)).filter((field) => !field.includes(':')).length;
  expect(await saved()).toBe(1);
  expect(await found()).toBe(3_000);
  const pages = (await server.client.hkeys(key)).filter((field) => field.includes(':'));
  expect(pages.length).toBeGreaterThan(0);
  for (const page of pages) await server.client.hset(key, page, 'damaged');
  expect(await found()).toBe(3_000);
  await store.delete('7');
  await store.compact();
  expect(await server.client.exists(key)).toBe(0);
  expect(await found()).toBe(2_999);
});
