import { inspect } from 'node:util';
import { isMemoryError, type JsonObject } from '@keepsake/core';
import { type RedisServer, startRedis } from '@keepsake/services';
import { rounds } from '@keepsake/testing/share';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { requestsKey, sessionKeys } from '../src/client/keys.ts';
import { run } from '../src/client/script.ts';
import { type DamagedItem, type OnCorrupt, type RedisClient, RedisSession, RedisSessionStore } from '../src/index.ts';
import { CLEAR } from '../src/lua/sessions/history.ts';
import { REQUESTS_PERIOD_MS } from '../src/lua/sessions/session-change.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { damageItem } from './session-kit.ts';

const shared = sharedRedis();
const SECRET = 'sentinel-77aa';
const item = { type: 'note', text: SECRET };
const call = { type: 'function_call', callId: 'c', text: SECRET };
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A separate server for a test that breaks it. */
async function ownServer(options: Parameters<typeof startRedis>[0]): Promise<{ server: RedisServer; client: Redis }> {
  const server = await startRedis({ own: true, ...options });
  const client = new Redis(server.url, { retryStrategy: () => 5 });
  client.on('error', () => {});
  closing.push(
    () => server.stop(),
    () => client.disconnect(),
  );
  return { server, client };
}

const everyChange: Record<string, (session: RedisSession) => Promise<unknown>> = {
  add: (session) => session.addItems([item]),
  pop: (session) => session.popItem(),
  clear: (session) => session.clearSession(),
  append: (session) =>
    session.applyHistoryTransaction({ operationId: 'o-1', transaction: { type: 'append_items', items: [item] } }),
  replace: (session) =>
    session.applyHistoryTransaction({
      operationId: 'o-2',
      transaction: { type: 'replace_suffix', expectedSuffix: [item], replacement: [item, item] },
    }),
  mutate: (session) =>
    session.applyHistoryMutations({ mutations: [{ type: 'replace_function_call', callId: 'c', replacement: item }] }),
  compact: (session) => session.replaceHistoryWithCompaction([item]),
};

/** Expects a `MemoryError` that says what to do, and contains no text of any item, however it is logged. */
async function fails(action: () => Promise<unknown>, words: RegExp): Promise<void> {
  const error = await action().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(isMemoryError(error, 'BACKEND'), inspect(error)).toBe(true);
  expect((error as Error).message).toMatch(words);
  expect((error as Error).cause).toBeInstanceOf(Error);
  expect(inspect(error, { depth: Infinity })).not.toContain(SECRET);
}

/** All keys under a prefix with their values, as they are stored. */
async function dump(client: Redis, keyPrefix: string): Promise<string> {
  const keys = (await client.keys('*')).filter((key) => key.startsWith(keyPrefix)).toSorted();
  const dumps = await Promise.all(keys.map(async (key) => `${key} ${(await client.dumpBuffer(key))?.toString('hex')}`));
  return dumps.join('\n');
}

describe('Sessions during server faults', () => {
  it.each(['items', 'metadata', 'sessions', 'expiry', 'requests'] as const)(
    'a change that is rejected because the %s key has another type changes nothing',
    async (which) => {
      const { client } = shared;
      let refused = 0;
      for (const existing of [true, false]) {
        for (const [name, change] of Object.entries(everyChange)) {
          const keyPrefix = freshPrefix();
          const session = new RedisSession({ client, keyPrefix, sessionId: 's', ttlMs: 3_600_000 });
          if (existing) await session.addItems([call, item]);
          const keys = sessionKeys(keyPrefix, 's');
          const key =
            which === 'requests' ? requestsKey(keys, Math.floor(Date.now() / REQUESTS_PERIOD_MS)) : keys[which];
          await client.set(key, 'something else');
          const before = await dump(client, keyPrefix);
          const outcome = await change(session).then(
            () => 'done',
            (error: unknown) => error,
          );
          // Changes that never touch the key succeed.
          if (outcome === 'done') continue;
          expect(isMemoryError(outcome, 'BACKEND'), `${name}: ${inspect(outcome)}`).toBe(true);
          expect((outcome as Error).message).toMatch(/keyPrefix/);
          expect(await dump(client, keyPrefix), name).toBe(before);
          refused++;
        }
      }
      expect(refused).toBeGreaterThan(3);
    },
  );

  it('reads and lists fail if a key has another type', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const store = new RedisSessionStore({ client, keyPrefix });
    const { items, sessions } = sessionKeys(keyPrefix, 's');
    await client.set(items, 'something else');
    await client.set(sessions, 'something else');
    await fails(() => store.open('s').getItems(), /keyPrefix/);
    await fails(() => store.list(), /keyPrefix/);
    await fails(() => store.delete('s'), /keyPrefix/);
  });

  it('changes that add items are rejected without free memory, and change nothing', async () => {
    const { client } = await ownServer({ args: ['--maxmemory', '0'] });
    const keyPrefix = freshPrefix();
    const session = new RedisSession({ client, keyPrefix, sessionId: 's', ttlMs: 3_600_000 });
    await session.addItems([call, item]);
    await client.config('SET', 'maxmemory', '1mb');
    const before = await dump(client, keyPrefix);
    for (const name of ['add', 'append', 'replace', 'mutate', 'compact'] as const) {
      await fails(() => everyChange[name]?.(session) as Promise<unknown>, /maxmemory/);
      expect(await dump(client, keyPrefix), name).toBe(before);
    }
    expect(await session.getItems()).toEqual([call, item]);
    await client.config('SET', 'maxmemory', '0');
    await session.addItems([item]);
    expect(await session.getItems()).toEqual([call, item, item]);
  });

  it('a replica rejects changes and serves reads', async () => {
    const { server, client } = await ownServer({});
    const keyPrefix = freshPrefix();
    const session = new RedisSession({ client, keyPrefix, sessionId: 's', ttlMs: 3_600_000 });
    await session.addItems([call, item]);
    // A replica of an unreachable master serves what it has and takes no writes.
    await client.call('REPLICAOF', '127.0.0.1', '1');
    for (const change of Object.values(everyChange)) await fails(() => change(session), /replica/);
    expect(await session.getItems()).toEqual([call, item]);
    expect(server.port).toBeGreaterThan(0);
  });

  it.each([
    ['a replica', ['REPLICAOF', '127.0.0.1', '1']],
    ['a server without free memory', ['CONFIG', 'SET', 'maxmemory', '1mb']],
  ])('on %s, a change that was already made succeeds when it is resent', async (_, [command = '', ...args]) => {
    const { client } = await ownServer({});
    for (const [name, change] of Object.entries(everyChange)) {
      const session = (client: RedisClient) => new RedisSession({ client, keyPrefix: 'p:', sessionId: name });
      await session(client).addItems([call, item]);
      let commands = 0;
      // Like ioredis when the connection breaks before a change is answered.
      const again: RedisClient = {
        callBuffer: client.callBuffer.bind(client),
        async call(command, values) {
          const reply = await client.call(command, values);
          if (!/^eval/.test(command) || !values.includes(name) || commands++ > 0) return reply;
          await client.call(...failover);
          return client.call(command, values);
        },
      };
      const failover: [string, string[]] = [command, args];
      await change(session(again));
      expect(commands, name).toBeGreaterThan(0);
      const after = await session(client).getItems();
      for (const undo of [
        ['REPLICAOF', 'NO', 'ONE'],
        ['CONFIG', 'SET', 'maxmemory', '0'],
      ] as const) {
        await client.call(undo[0], undo.slice(1));
      }
      expect(await session(client).getItems(), name).toEqual(after);
    }
  });

  it('a server that is loading its data rejects reads and changes', async () => {
    const slowly = ['--key-load-delay', '200000', '--loading-process-events-interval-bytes', '1024'];
    const { server, client } = await ownServer({ args: ['--rdbcompression', 'no', ...slowly] });
    const keyPrefix = freshPrefix();
    await new RedisSession({ client, keyPrefix, sessionId: 's' }).addItems([call, item]);
    for (let number = 0; number < 60; number++) await client.set(`filler ${number}`, 'x'.repeat(2_000));
    await client.save();
    await server.kill();
    const restarted = server.restart();
    // A client that does not check whether the server is ready.
    const hasty = new Redis(server.url, {
      enableReadyCheck: false,
      retryStrategy: () => 5,
      maxRetriesPerRequest: null,
    });
    hasty.on('error', () => {});
    closing.push(() => hasty.disconnect());
    const session = new RedisSession({ client: hasty, keyPrefix, sessionId: 's' });
    await fails(() => session.getItems(), /loading/);
    await fails(() => session.addItems([item]), /loading/);
    await expect(session.addItems([item])).rejects.toMatchObject({ retryable: true });
    await hasty.config('SET', 'key-load-delay', '0');
    await restarted;
    expect(await session.getItems()).toEqual([call, item]);
  });

  it('scripts that Redis has lost are resent, and every call succeeds', async () => {
    const { server, client } = await ownServer({ appendOnly: 'always' });
    const store = new RedisSessionStore({ client, keyPrefix: freshPrefix(), ttlMs: 3_600_000, refresh: 'access' });
    const session = store.open('s');
    const all = async () => {
      for (const change of Object.values(everyChange)) {
        await session.replaceHistoryWithCompaction([call, item]);
        await change(session as RedisSession);
      }
      await session.getItems();
      await store.list();
      return store.delete('s');
    };
    await all();
    await client.script('FLUSH');
    expect(await all()).toBe(true);
    await session.addItems([item]);
    await server.restart();
    expect(await session.getItems()).toEqual([item]);
    expect(await all()).toBe(true);
  });
});

/** Many times what a script passes to a command at a time. */
const LARGE = rounds(200_000);

describe('a large session', () => {
  it(`accepts ${LARGE} items in one batch, which can be read, mutated and replaced`, async () => {
    const session = new RedisSession({ client: shared.client, keyPrefix: freshPrefix() });
    const items: JsonObject[] = Array.from({ length: LARGE }, (_, number) => ({ number }));
    items[3] = call;
    await session.addItems(items);
    expect(await session.getItems()).toEqual(items);
    await session.applyHistoryMutations({
      mutations: [{ type: 'replace_function_call', callId: 'c', replacement: item }],
    });
    items[3] = item;
    expect(await session.getItems()).toEqual(items);
    await session.replaceHistoryWithCompaction(items.toReversed());
    expect(await session.getItems(3)).toEqual([{ number: 2 }, { number: 1 }, { number: 0 }]);
    expect(await session.getItems()).toHaveLength(LARGE);
  });

  it('rejects a change of more than 256 MiB before it is sent', async () => {
    const client = {} as RedisClient;
    const values = Array.from({ length: 17 }, () => 'x'.repeat(16_000_000));
    await expect(run(client, CLEAR, ['key'], values)).rejects.toSatisfy((error) => isMemoryError(error, 'TOO_LARGE'));
  });

  it('rejects a change of more than 256 MiB and writes nothing', { tags: ['nightly'] }, async () => {
    const session = new RedisSession({ client: shared.client, keyPrefix: freshPrefix() });
    await session.addItems([item]);
    const large = { text: 'x'.repeat(16_000_000) };
    const refused = session.addItems(Array.from({ length: 17 }, () => large));
    await expect(refused).rejects.toSatisfy((error) => isMemoryError(error, 'TOO_LARGE'));
    expect(await session.getItems()).toEqual([item]);
  });
});

describe('damaged items', () => {
  async function damaged(onCorrupt: OnCorrupt | undefined) {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const options = { client, keyPrefix, sessionId: 's', ...(onCorrupt && { onCorrupt }) };
    const session = new RedisSession(options);
    await session.addItems([call, ...Array.from({ length: 9 }, (_, number) => ({ number, text: SECRET }))]);
    for (const index of [2, 9]) await damageItem(client, keyPrefix, 's', index);
    return { session, options, key: sessionKeys(keyPrefix, 's').items };
  }

  it('are each reported once, with their key and index', async () => {
    const reports: DamagedItem[] = [];
    const { session, key } = await damaged((report) => reports.push(report));
    expect((await session.getItems(2)).map(({ number }) => number)).toEqual([6, 7]);
    expect(reports).toEqual([{ sessionId: 's', key, index: 9 }]);
    for (let time = 0; time < 3; time++) await session.getItems();
    await session.addItems([{ number: 9 }]);
    await session.getItems();
    expect(reports).toEqual([9, 2].map((index) => ({ sessionId: 's', key, index })));
  });

  it('by default cause one warning each, without their content', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { session } = await damaged(undefined);
    await session.getItems();
    await session.getItems();
    expect(warn).toHaveBeenCalledTimes(2);
    expect(warn.mock.calls.join()).not.toContain(SECRET);
    warn.mockRestore();
  });

  it('are kept while other items are mutated, and make changes that may affect them fail', async () => {
    const { session, options, key } = await damaged(() => {});
    const [broken] = await shared.client.lrange(key, 2, 2);
    const mutations = [{ type: 'replace_function_call' as const, callId: 'c', replacement: item }];
    await session.applyHistoryMutations({ mutations });
    expect((await session.getItems())[0]).toEqual(item);
    expect(await shared.client.lrange(key, 2, 2)).toEqual([broken]);
    await shared.client.lset(key, 1, '{"type":"function_call","callId":"c",');
    const refused = session.applyHistoryMutations({ mutations });
    await expect(refused).rejects.toSatisfy((error) => isMemoryError(error, 'CORRUPT'));
    const replaced = new RedisSession(options).applyHistoryTransaction({
      operationId: 'o',
      transaction: { type: 'replace_suffix', expectedSuffix: [{ number: 8, text: SECRET }], replacement: [] },
    });
    await expect(replaced).rejects.toSatisfy((error) => isMemoryError(error, 'CORRUPT'));
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
  });
});

describe('options', () => {
  it.each([
    [{ client: undefined }, /ioredis/],
    [{ client: { get() {} } }, /ioredis/],
    [{ keyPrefix: '' }, /keyPrefix/],
    [{ keyPrefix: 'a{b}' }, /keyPrefix/],
    [{ ttlMs: 0 }, /ttlMs/],
    [{ ttlMs: 1.5 }, /ttlMs/],
    [{ ttlMs: Number.NaN }, /ttlMs/],
    [{ ttlMs: '1000' }, /ttlMs/],
    [{ ttlMs: 1e15 }, /ttlMs/],
    [{ ttlMs: 1_000, refresh: 'never' }, /refresh/],
    [{ refresh: 'access' }, /ttlMs/],
    [{ onCorrupt: 'log' }, /onCorrupt/],
  ])('rejects %j', (wrong, words) => {
    const options = { client: shared.client as RedisClient, ...wrong } as never;
    for (const make of [() => new RedisSession(options), () => new RedisSessionStore(options)]) {
      expect(make).toThrow(words);
      expect(make).toThrow(expect.toSatisfy((error) => isMemoryError(error, 'INVALID_ARGUMENT')));
    }
  });

  it('rejects missing options', () => {
    expect(() => new RedisSession(undefined as never)).toThrow(/options must be an object/);
    expect(() => new RedisSessionStore(undefined as never)).toThrow(/options must be an object/);
  });
});
