import { inspect } from 'node:util';
import { isMemoryError, type JsonObject } from '@keepsake/core';
import { type RedisServer, startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type DamagedItem, type OnCorrupt, type RedisClient, RedisSession, RedisSessionStore } from '../src/index.ts';
import { marksKey, sessionKeys } from '../src/keys.ts';
import { MARKS_PERIOD_MS } from '../src/session-scripts.ts';
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

/** A server of its own for a test that breaks it. */
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

/** The change fails with a `MemoryError` that says what to do, and no word of any item, however it is logged. */
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

/** All that lies under a prefix, as it is stored. */
async function dump(client: Redis, keyPrefix: string): Promise<string> {
  const keys = (await client.keys('*')).filter((key) => key.startsWith(keyPrefix)).toSorted();
  const dumps = await Promise.all(keys.map(async (key) => `${key} ${(await client.dumpBuffer(key))?.toString('hex')}`));
  return dumps.join('\n');
}

describe('what Redis refuses leaves everything as it was', () => {
  it.each(['items', 'facts', 'sessions', 'expiry', 'marks'] as const)('a key of another type: %s', async (which) => {
    const { client } = shared;
    let refused = 0;
    for (const existing of [true, false]) {
      for (const [name, change] of Object.entries(everyChange)) {
        const keyPrefix = freshPrefix();
        const session = new RedisSession({ client, keyPrefix, sessionId: 's', ttlMs: 3_600_000 });
        if (existing) await session.addItems([call, item]);
        const keys = sessionKeys(keyPrefix, 's');
        const key = which === 'marks' ? marksKey(keys, Math.floor(Date.now() / MARKS_PERIOD_MS)) : keys[which];
        await client.set(key, 'something else');
        const before = await dump(client, keyPrefix);
        const outcome = await change(session).then(
          () => 'done',
          (error: unknown) => error,
        );
        // What never touches the key may be done.
        if (outcome === 'done') continue;
        expect(isMemoryError(outcome, 'BACKEND'), `${name}: ${inspect(outcome)}`).toBe(true);
        expect((outcome as Error).message).toMatch(/keyPrefix/);
        expect(await dump(client, keyPrefix), name).toBe(before);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(3);
  });

  it('a key of another type, for reads and lists', async () => {
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

  it('no memory left: what adds is refused whole, what removes is not', async () => {
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

  it('a replica', async () => {
    const { server, client } = await ownServer({});
    const keyPrefix = freshPrefix();
    const session = new RedisSession({ client, keyPrefix, sessionId: 's', ttlMs: 3_600_000 });
    await session.addItems([call, item]);
    // A replica of nobody: it serves what it has, and takes no writes.
    await client.call('REPLICAOF', '127.0.0.1', '1');
    for (const change of Object.values(everyChange)) await fails(() => change(session), /replica/);
    expect(await session.getItems()).toEqual([call, item]);
    expect(server.port).toBeGreaterThan(0);
  });

  it.each([
    ['a replica', ['REPLICAOF', '127.0.0.1', '1']],
    ['a server without memory', ['CONFIG', 'SET', 'maxmemory', '1mb']],
  ])(
    '%s does what it did before it became that: sent again, the change is known',
    async (_, [command = '', ...args]) => {
      const { client } = await ownServer({});
      for (const [name, change] of Object.entries(everyChange)) {
        const session = (client: RedisClient) => new RedisSession({ client, keyPrefix: 'p:', sessionId: name });
        await session(client).addItems([call, item]);
        let commands = 0;
        // As ioredis, where the link breaks before a change is answered.
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
    },
  );

  it('a server that is loading its data', async () => {
    const slowly = ['--key-load-delay', '20000', '--loading-process-events-interval-bytes', '1024'];
    const { server, client } = await ownServer({ args: ['--rdbcompression', 'no', ...slowly] });
    const keyPrefix = freshPrefix();
    await new RedisSession({ client, keyPrefix, sessionId: 's' }).addItems([call, item]);
    for (let number = 0; number < 60; number++) await client.set(`filler ${number}`, 'x'.repeat(2_000));
    await client.save();
    await server.kill();
    const restarted = server.restart();
    // One that asks without looking whether the server is ready.
    const hasty = new Redis(server.url, {
      enableReadyCheck: false,
      retryStrategy: () => 5,
      maxRetriesPerRequest: null,
    });
    hasty.on('error', () => {});
    closing.push(() => hasty.disconnect());
    const session = new RedisSession({ client: hasty, keyPrefix, sessionId: 's' });
    await fails(() => session.getItems(), /loading/);
    const error = await session.addItems([item]).catch((reason: unknown) => reason);
    // It might have been done before: a client sends again what it had no answer to, and that after a restart.
    expect(isMemoryError(error, 'OUTCOME_UNKNOWN'), inspect(error)).toBe(true);
    expect((error as Error).message).toMatch(/loading/);
    await restarted;
    expect(await session.getItems()).toEqual([call, item]);
  });

  it('a script that Redis has forgotten is sent again, and nobody notices', async () => {
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

describe('sizes', () => {
  it('takes 200,000 items in one batch, reads, mutates and replaces them', async () => {
    const session = new RedisSession({ client: shared.client, keyPrefix: freshPrefix() });
    const items: JsonObject[] = Array.from({ length: 200_000 }, (_, number) => ({ number }));
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
    expect(await session.getItems()).toHaveLength(200_000);
  });

  it('refuses more than 256 MiB in one change, and does nothing of it', async () => {
    const session = new RedisSession({ client: shared.client, keyPrefix: freshPrefix() });
    await session.addItems([item]);
    const large = { text: 'x'.repeat(16_000_000) };
    const refused = session.addItems(Array.from({ length: 17 }, () => large));
    await expect(refused).rejects.toSatisfy((error) => isMemoryError(error, 'TOO_LARGE'));
    expect(await session.getItems()).toEqual([item]);
  });

  it('remembers the last 1,000 operations, and drops what it forgets', async () => {
    const keyPrefix = freshPrefix();
    const session = new RedisSession({ client: shared.client, keyPrefix, sessionId: 's' });
    for (let number = 0; number < 1_010; number++) {
      await session.applyHistoryTransaction({
        operationId: `o-${number}`,
        transaction: { type: 'append_items', items: [{ number }] },
      });
    }
    // Two fields for each, and created, rewritten, operations.
    expect(await shared.client.hlen(sessionKeys(keyPrefix, 's').facts)).toBe(2_003);
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

  it('are each reported once, with where they are', async () => {
    const reports: DamagedItem[] = [];
    const { session, key } = await damaged((report) => reports.push(report));
    expect((await session.getItems(2)).map(({ number }) => number)).toEqual([6, 7]);
    expect(reports).toEqual([{ sessionId: 's', key, index: 9 }]);
    for (let time = 0; time < 3; time++) await session.getItems();
    await session.addItems([{ number: 9 }]);
    await session.getItems();
    expect(reports).toEqual([9, 2].map((index) => ({ sessionId: 's', key, index })));
  });

  it('are by default one warning each, which tells nothing of them', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { session } = await damaged(undefined);
    await session.getItems();
    await session.getItems();
    expect(warn).toHaveBeenCalledTimes(2);
    expect(warn.mock.calls.join()).not.toContain(SECRET);
    warn.mockRestore();
  });

  it('stay where other items are mutated, and refuse what may concern them', async () => {
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
  ])('%j is refused', (wrong, words) => {
    const options = { client: shared.client as RedisClient, ...wrong } as never;
    for (const make of [() => new RedisSession(options), () => new RedisSessionStore(options)]) {
      expect(make).toThrow(words);
      expect(make).toThrow(expect.toSatisfy((error) => isMemoryError(error, 'INVALID_ARGUMENT')));
    }
  });

  it('none at all are refused', () => {
    expect(() => new RedisSession(undefined as never)).toThrow(/ioredis/);
    expect(() => new RedisSessionStore(undefined as never)).toThrow(/ioredis/);
  });
});
