import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { isMemoryError, type RecordStore } from '@keepsake/core';
import { type RedisServer, startRedis } from '@keepsake/services';
import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { putTimes } from '@keepsake/testing/put-times';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { registryKeys, requestsKey, type StoreKeys, storeKeys } from '../src/client/keys.ts';
import { RedisStore, type RedisStoreOptions } from '../src/index.ts';
import { REQUESTS_PERIOD_MS } from '../src/lua/records/log-scripts.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const SECRET = 'sentinel-7c1d';
const shared = sharedRedis();

function openStore(options: Partial<RedisStoreOptions> = {}) {
  const keyPrefix = freshPrefix();
  const store = new RedisStore({ client: shared.client, keyPrefix, name: 'memory', ...options });
  return { store, keyPrefix, keys: storeKeys(keyPrefix, options.namespace ?? []) };
}

const input = {
  id: SECRET,
  content: `${SECRET} tea`,
  metadata: { note: SECRET },
  turn: { thread: SECRET, index: 0, speaker: SECRET },
};

const writes: Record<string, (store: RecordStore) => Promise<unknown>> = {
  put: (store) => store.put(input),
  putMany: (store) => store.putMany([{ content: `${SECRET} milk` }, input]),
  add: (store) => store.add(`${SECRET} tea`, { note: SECRET }),
  addMessages: async (store) => store.addMessages?.([{ role: 'user', content: `${SECRET} tea` }]),
  delete: (store) => store.delete(SECRET),
};
const reads: Record<string, (store: RecordStore) => Promise<unknown>> = {
  get: (store) => store.get(SECRET),
  list: (store) => store.list({ filter: { note: SECRET } }),
  search: (store) => store.search(`${SECRET} tea`, { filter: { note: SECRET } }),
  searchBelow: (store) => store.search(`${SECRET} tea`, { filter: { note: SECRET }, descendants: true }),
};

async function failureOf(call: Promise<unknown>): Promise<Error & { readonly code?: string }> {
  const outcome: unknown = await call.catch((error: unknown) => error);
  if (!isMemoryError(outcome)) throw new Error(`No MemoryError: ${inspect(outcome)}`);
  return outcome;
}

/** All keys under a prefix with their values, as bytes. */
async function dump(keyPrefix: string): Promise<string> {
  const keys = (await shared.client.keys('*')).filter((key) => key.startsWith(keyPrefix)).sort();
  const values = await Promise.all(keys.map((key) => shared.client.dumpBuffer(key)));
  return JSON.stringify([keys, values.map((value) => value?.toString('base64'))]);
}

async function withOwnServer(args: readonly string[], use: (client: Redis, server: RedisServer) => Promise<void>) {
  const server = await startRedis({ own: true, args });
  const client = new Redis(server.url);
  client.on('error', () => {});
  try {
    await use(client, server);
  } finally {
    client.disconnect();
    await server.stop();
  }
}

describe('A key of another type', () => {
  const names = Object.keys(storeKeys('', [])).filter((name) => name !== 'requests') as (keyof StoreKeys)[];

  for (const place of names) {
    it(`at ${place} makes every write fail without changing anything`, async () => {
      for (const [name, write] of Object.entries(writes)) {
        const { store, keyPrefix, keys } = openStore({ embedder: fakeEmbedder });
        await store.put({ ...input, ttlMs: 60_000 });
        await store.put({ id: 'other', content: 'tea', ttlMs: 60_000 });
        await shared.client.del(keys[place]);
        if (place === 'records') await shared.client.lpush(keys[place], 'else');
        else await shared.client.set(keys[place], 'else');
        // A script reads the gate only if the namespace is not registered yet.
        if (place === 'gate') {
          await shared.client.del(keys[place], ...Object.values(keys));
          await shared.client.lpush(keys[place], 'else');
          if (name === 'delete') continue;
        }
        const before = await dump(keyPrefix);
        const { code, cause } = await failureOf(write(store));
        expect([name, code, String(cause)]).toEqual([name, 'BACKEND', expect.stringContaining('WRONGTYPE')]);
        expect(await dump(keyPrefix)).toBe(before);
      }
    });
  }

  it('in the registry or among recent requests makes writes fail', async () => {
    const { store, keyPrefix, keys } = openStore();
    await shared.client.set(registryKeys(keyPrefix).registrations, 'else');
    const before = await dump(keyPrefix);
    expect(await failureOf(store.put(input))).toMatchObject({ code: 'BACKEND' });
    expect(await dump(keyPrefix)).toBe(before);
    await shared.client.del(registryKeys(keyPrefix).registrations);
    await store.put(input);
    const period = Math.floor(Date.now() / REQUESTS_PERIOD_MS);
    for (const one of [period, period + 1, period + 2]) await shared.client.set(requestsKey(keys, one), 'else');
    expect(await failureOf(store.put(input))).toMatchObject({ code: 'BACKEND' });
    expect(await failureOf(store.delete(SECRET))).toMatchObject({ code: 'BACKEND' });
    expect(await store.get(SECRET)).toMatchObject({ version: putTimes(1) });
  });
});

describe('A missing key', () => {
  for (const place of ['records', 'changes', 'state'] as const) {
    it(`at ${place} makes writes fail with CORRUPT until clear() is called`, async () => {
      const { store, keyPrefix, keys } = openStore();
      await store.putMany([input, { id: 'other', content: 'tea' }]);
      await shared.client.del(keys[place]);
      const before = await dump(keyPrefix);
      expect(await failureOf(store.put({ id: 'new', content: 'tea' }))).toMatchObject({ code: 'CORRUPT' });
      expect(await dump(keyPrefix)).toBe(before);
      await store.clear();
      await store.put(input);
      expect((await store.list()).items).toHaveLength(1);
    });
  }
});

describe('Redis without free memory', () => {
  it('rejects puts, while delete, expiry and clear work', async () => {
    await withOwnServer([], async (client) => {
      const store = new RedisStore({ client, name: 'memory', embedder: fakeEmbedder });
      const inputs = Array.from({ length: 60 }, (_, n) => ({ ...input, id: `${n}`, turn: { thread: 'a', index: n } }));
      await store.putMany(inputs.map((one, n) => (n < 10 ? { ...one, ttlMs: 20 } : one)));
      await client.config('SET', 'maxmemory', '1mb', 'maxmemory-policy', 'noeviction');
      await wait(40);
      for (const name of ['put', 'putMany', 'add'] as const) {
        const { code, cause } = await failureOf((writes[name] as (store: RecordStore) => Promise<unknown>)(store));
        expect([name, code, String(cause)]).toEqual([name, 'BACKEND', expect.stringContaining('OOM')]);
      }
      expect(await store.search(`${SECRET} tea`, { maxSearchResults: 100 })).toHaveLength(50);
      expect(await store.delete('30')).toBe(true);
      expect(await store.get('30')).toBeUndefined();
      expect(await store.clear()).toBe(49);
      expect((await store.list()).items).toEqual([]);
    });
  });
});

describe('A replica', () => {
  it('can be read, even if records have expired, and rejects writes', async () => {
    await withOwnServer(['--repl-diskless-sync-delay', '0'], async (client, master) => {
      await withOwnServer(['--replicaof', master.host, String(master.port)], async (replicaClient) => {
        const store = new RedisStore({ client, name: 'memory' });
        const turns = Array.from({ length: 20 }, (_, n) => ({ content: `tea ${n}`, turn: { thread: 'a', index: n } }));
        await store.putMany(turns);
        await store.within(['empty']).put({ id: 'x', content: 'tea' });
        await store.within(['empty']).delete('x');
        const replica = new RedisStore({ client: replicaClient, name: 'memory' });
        while ((await replica.list().catch(() => undefined))?.items.length !== 20) await wait(10);
        await store.put({ content: 'tea that goes', ttlMs: 1 });
        await wait(5);
        expect(await client.wait(1, 0)).toBe(1);
        expect(await replica.search('tea', { maxSearchResults: 100 })).toHaveLength(20);
        expect(await replica.search('tea', { maxSearchResults: 3, filter: { none: { exists: false } } })).toHaveLength(
          3,
        );
        expect(await replica.search('tea', { maxSearchResults: 100, descendants: true })).toHaveLength(20);
        expect((await replica.namespaces()).items).toEqual([]);
        const { code, cause } = await failureOf(replica.put({ content: 'tea' }));
        expect([code, String(cause)]).toEqual(['BACKEND', expect.stringContaining('READONLY')]);
        expect(await store.search('tea', { maxSearchResults: 100 })).toHaveLength(20);
      });
    });
  });
});

describe('A store with an embedder on a replica', () => {
  it('finds records by their meaning, although it cannot remove nearer records that have expired', async () => {
    await withOwnServer(['--repl-diskless-sync-delay', '0'], async (client, master) => {
      await withOwnServer(['--replicaof', master.host, String(master.port)], async (replicaClient) => {
        const options = { name: 'memory', embedder: fakeEmbedder };
        const store = new RedisStore({ client, ...options });
        await store.put({ id: 'lives', content: 'xyz zyx' });
        await store.putMany(Array.from({ length: 100 }, (_, n) => ({ id: `${n}`, content: 'abc cab', ttlMs: 50 })));
        const replica = new RedisStore({ client: replicaClient, ...options });
        // Until the batch has reached the replica too.
        const { records } = storeKeys('keepsake:', []);
        while ((await replicaClient.hlen(records).catch(() => 0)) !== 101) await wait(10);
        await wait(60);
        const found = await replica.search('cba bca', { maxSearchResults: 1 });
        expect(found.map(({ id }) => id)).toEqual(['lives']);
        const below = await replica.search('cba bca', { maxSearchResults: 1, descendants: true });
        expect(below.map(({ id }) => id)).toEqual(['lives']);
      });
    });
  });
});

describe('Scripts that Redis has lost', () => {
  it('are resent after SCRIPT FLUSH and after a restart', async () => {
    await withOwnServer(['--appendonly', 'yes'], async (client, server) => {
      const store = new RedisStore({ client, name: 'memory' });
      await store.put(input);
      await client.script('FLUSH');
      expect((await store.put(input)).version).toEqual(putTimes(2));
      await server.restart();
      expect((await store.put(input)).version).toEqual(putTimes(3));
      await client.script('FLUSH');
      expect(await store.search('tea')).toHaveLength(1);
      expect(await store.clear()).toBe(1);
    });
  });
});

describe('Errors', () => {
  it('never contain an id, content, metadata, thread, speaker, query or filter', async () => {
    const errors: Error[] = [];
    for (const place of ['records', 'state', 'expiry'] as const) {
      const { store, keys } = openStore();
      await store.put(input);
      await shared.client.del(keys[place]);
      await shared.client.set(keys[place], 'else');
      for (const call of Object.values({ ...writes, ...reads })) {
        const outcome = await call(store).then(
          () => undefined,
          (error: Error) => error,
        );
        if (outcome) errors.push(outcome);
      }
    }
    const away = new Redis({ host: '127.0.0.1', port: 1, maxRetriesPerRequest: 0, retryStrategy: () => 1 });
    away.on('error', () => {});
    const unreachable = new RedisStore({ client: away, name: 'memory' });
    for (const call of Object.values({ ...writes, ...reads })) errors.push(await failureOf(call(unreachable)));
    away.disconnect();
    expect(errors.length).toBeGreaterThan(20);
    for (const error of errors) expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(SECRET);
  });
});
