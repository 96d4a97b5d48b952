import { setTimeout as wait } from 'node:timers/promises';
import type { RecordInput } from '@keepsake/core';
import { byDay, rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storeKeys } from '../src/client/keys.ts';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { readAll, readIndex } from './read-index.ts';

const shared = sharedRedis();
const WORDS = [
  ...['tea', 'milk', 'guitar', 'lighthouse', 'mother', 'the', 'is', 'Haus', 'und', '茶', 'ночь', '2024', '?'],
  ...['.', 'Always', 'never'],
];
const LIVES_MS = 15;

const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 })
  .map((words) => words.join(' '))
  .filter((words) => words.trim() !== '');
const turn = fc.record(
  {
    thread: fc.constantFrom('a', 'b', 'a b'),
    index: fc.oneof(fc.nat({ max: 400 }), fc.constantFrom(2 ** 40, Number.MAX_SAFE_INTEGER)),
    speaker: fc.constantFrom('Ada', 'Ben', 'Cid Ada', '茶'),
  },
  { requiredKeys: ['thread', 'index'] },
);
const input = fc.record(
  {
    id: fc.nat({ max: 24 }).map((n) => `record ${n}`),
    content: fc.oneof(
      { weight: 9, arbitrary: text },
      { weight: 1, arbitrary: text.map((words) => words.padEnd(5_000, ' tea')) },
    ),
    turn,
    ttlMs: fc.constantFrom(LIVES_MS, 60_000),
    index: fc.constantFrom(true, true, false),
  },
  { requiredKeys: ['id', 'content'] },
);
const change = fc.oneof(
  { weight: 6, arbitrary: input.map((input) => ({ kind: 'put' as const, inputs: [input] })) },
  {
    weight: 3,
    arbitrary: fc.array(input, { maxLength: 12 }).map((inputs) => ({ kind: 'putMany' as const, inputs })),
  },
  { weight: 4, arbitrary: fc.nat({ max: 24 }).map((n) => ({ kind: 'delete' as const, id: `record ${n}` })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'expire' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'clear' as const }) },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

async function make(store: RedisStore, change: Change): Promise<void> {
  if (change.kind === 'put') await store.put(change.inputs[0] as RecordInput);
  else if (change.kind === 'putMany') await store.putMany(change.inputs);
  else if (change.kind === 'delete') await store.delete(change.id);
  else if (change.kind === 'clear') await store.clear();
  else await wait(2 * LIVES_MS);
}

function openTwo(options: object = {}) {
  const { client } = shared;
  const keyPrefix = freshPrefix();
  const open = () => new RedisStore({ client, keyPrefix, name: 'memory', ...options });
  return { stores: [open(), open()] as const, keyPrefix, keys: storeKeys(keyPrefix, []) };
}

/** Inputs that would recreate the current records. */
async function currentInputs(keys: ReturnType<typeof storeKeys>): Promise<RecordInput[]> {
  return (await readAll(shared.client, keys)).map(({ record }) => {
    const { id, content, metadata, createdAt, turn, index } = record;
    return { id, content, metadata, createdAt, index, ...(turn === undefined ? {} : { turn }) };
  });
}

async function expectSameAsFresh(keys: ReturnType<typeof storeKeys>, options: object = {}): Promise<void> {
  const fresh = openTwo(options);
  await fresh.stores[0].putMany(await currentInputs(keys));
  const { client } = shared;
  expect(await readIndex(client, keys)).toEqual(await readIndex(client, fresh.keys));
}

/** Many slices. */
const LARGE = byDay({ records: 2_000 }).records ?? 50_000;
/** Enough that a term fills many fields, and is split into classes. */
const MANY = rounds(3_000, 1_500);

describe('The index', () => {
  for (const [name, options] of [
    ['of words', {}],
    ['of words and vectors', { embedder: fakeEmbedder }],
  ] as const) {
    it(`${name} equals a fresh index of the same records, after any history of changes`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(fc.nat({ max: 1 }), change), { maxLength: 40 }), async (history) => {
          const { stores, keys } = openTwo(options);
          for (const [who, change] of history) await make(stores[who] as RedisStore, change);
          await wait(2 * LIVES_MS);
          // The next call removes expired records.
          await stores[0].search('tea');
          await expectSameAsFresh(keys, options);
        }),
        { numRuns: rounds(25, 6) },
      );
    });
  }

  it(`equals a fresh index after hundreds of ${MANY} records with the same term were replaced or deleted`, async () => {
    const { stores, keys } = openTwo();
    const [one, other] = stores;
    const input = (n: number, round: number) => ({
      id: `record ${n}`,
      content: `tea ${n % 7} ${WORDS[(n + round) % WORDS.length]} milk`,
      turn: { thread: `thread ${n % 2}`, index: Math.floor(n / 2) * 3 },
    });
    await one.putMany(Array.from({ length: MANY }, (_, n) => input(n, 0)));
    await other.putMany(Array.from({ length: 300 }, (_, n) => input((n * 37) % MANY, 1)));
    await expectSameAsFresh(keys);
    const deleted = Array.from({ length: 300 }, (_, n) =>
      n % 3 === 0 ? n : n % 3 === 1 ? MANY - 1 - n : (n * 53) % MANY,
    );
    await Promise.all(deleted.map((n, place) => (place % 2 ? one : other).delete(`record ${n}`)));
    await expectSameAsFresh(keys);
    const { items } = await one.list({ limit: 1_000, order: 'oldest' });
    await Promise.all(items.map(({ id }) => other.delete(id)));
    await one.putMany(Array.from({ length: 600 }, (_, n) => input(n, 2)));
    await expectSameAsFresh(keys);
  });

  it(`holds ${LARGE} records of one batch after a second batch replaced some of them`, async () => {
    const { stores, keys } = openTwo({ language: 'en' });
    const inputs = Array.from({ length: LARGE }, (_, n) => ({ id: `${n}`, content: `tea ${n % (LARGE / 20)}` }));
    await stores[0].putMany(inputs);
    const part = inputs.slice(0.4 * LARGE, 0.6 * LARGE);
    const again = await stores[1].putMany(part.map((input) => ({ ...input, content: input.content.slice(1) })));
    expect(again.every(({ version }) => version === 2)).toBe(true);
    const { counted, terms } = await readIndex(shared.client, keys);
    const lengths = { length: `${2 * LARGE}`, squares: `${4 * LARGE}` };
    expect(counted).toEqual({ records: `${LARGE}`, docs: `${LARGE}`, ...lengths, 'in:en': `${LARGE}` });
    expect(terms).toHaveLength(LARGE / 20 + 2);
    const sizes = new Map(terms.map(([term, postings]) => [term, new Set(postings).size]));
    const last = `${LARGE / 20 - 1}`;
    expect(['tea', 'ea', '0', last].map((term) => sizes.get(term))).toEqual([0.8 * LARGE, 0.2 * LARGE, 20, 20]);
  });

  it('stores the content of a long record separately, so that changing other records costs no more', async () => {
    const { stores, keys } = openTwo();
    const [one, other] = stores;
    const long = 'tea '.repeat(10_000);
    await one.putMany(['a', 'b', 'c'].map((id) => ({ id, content: 'tea' })));
    await other.put({ id: 'b', content: long });
    expect((await shared.client.hkeys(keys.records)).sort()).toEqual(['#1', '0']);
    expect(await shared.client.hstrlen(keys.records, '0')).toBeLessThan(200);
    await one.put({ id: 'a', content: long });
    await one.put({ id: 'b', content: 'milk' });
    expect((await shared.client.hkeys(keys.records)).sort()).toEqual(['#0', '0']);
    expect((await other.list({ order: 'oldest' })).items.map(({ content }) => content)).toEqual([long, 'milk', 'tea']);
    await expectSameAsFresh(keys);
    await other.delete('a');
    expect(await shared.client.hkeys(keys.records)).toEqual(['0']);
    await expectSameAsFresh(keys);
  });

  it('keeps nothing of expired records while other records remain', async () => {
    const { stores, keys } = openTwo();
    const [one, other] = stores;
    await one.put({ id: 'stays', content: 'tea forever' });
    for (let round = 0; round < rounds(6, 2); round++) {
      const inputs = Array.from({ length: 1_100 }, (_, n) => ({ id: `${round} ${n}`, content: 'tea again', ttlMs: 1 }));
      await other.putMany(inputs);
    }
    await wait(10);
    expect((await one.search('tea')).map(({ id }) => id)).toEqual(['stays']);
    expect(await shared.client.hlen(keys.terms)).toBeLessThan(5);
    await expectSameAsFresh(keys);
  });

  it('of an empty namespace keeps only its creation time and its counters, for an hour', async () => {
    const { stores, keys, keyPrefix } = openTwo({ embedder: fakeEmbedder });
    const turn = { thread: 'a', index: 1, speaker: 'Ada' };
    await stores[0].putMany([
      { id: 'x', content: 'tea', turn, ttlMs: 60_000 },
      { id: 'y', content: 'milk' },
    ]);
    await stores[1].delete('x');
    await stores[1].delete('y');
    const left = (await keysBelow(keyPrefix)).filter(
      (key) => !key.includes(':marks:') && !key.includes('{namespaces}'),
    );
    expect(left).toEqual([keys.stats]);
    expect(Object.keys(await shared.client.hgetall(keys.stats)).sort()).toEqual([
      ...['base', 'born', 'next', 'registered', 'speaker', 'vectors'],
    ]);
    expect(await shared.client.pttl(keys.stats)).toBeGreaterThan(0);
  });

  it('of a namespace whose records all expire disappears a minute after the last record, without another call', async () => {
    const { stores, keys, keyPrefix } = openTwo({ embedder: fakeEmbedder });
    const turn = { thread: 'a', index: 1, speaker: 'Ada' };
    await stores[0].put({ id: 'x', content: 'tea' });
    await stores[1].putMany([
      { id: 'x', content: 'tea', turn, ttlMs: 40 },
      { id: 'y', content: 'milk', ttlMs: 90 },
    ]);
    const own = (await keysBelow(keyPrefix)).filter((key) => key.startsWith(keys.stats.replace('facts', '')));
    expect(own.length).toBeGreaterThan(7);
    const lasting = own.filter((key) => !key.includes(':marks:'));
    const times = await Promise.all(lasting.map((key) => shared.client.pexpiretime(key)));
    expect(new Set(times).size).toBe(1);
    const expires = Number(await shared.client.zscore(keys.expiry, '1'));
    expect(times[0]).toBe(expires + 60_000);
    // As if the minute had passed.
    await wait(90);
    for (const key of lasting) await shared.client.pexpire(key, 1);
    while ((await shared.client.exists(...lasting)) > 0) await wait(5);
    expect((await stores[0].list()).items).toEqual([]);
    expect((await stores[0].namespaces()).items).toEqual([]);
  });

  it('stays consistent while records expire during writes', async () => {
    const { stores, keys } = openTwo();
    await Promise.all(
      Array.from({ length: 8 }, async (_, who) => {
        for (let n = 0; n < rounds(400); n++) {
          const store = stores[n % 2] as RedisStore;
          await store.put({ id: `${who}`, content: 'tea', ttlMs: 1 + ((who + n) % 3) });
        }
      }),
    );
    await wait(20);
    await stores[0].put({ id: 'x', content: 'tea' });
    await expectSameAsFresh(keys);
  });

  it('stops expiring when a record that never expires is put', async () => {
    const { stores, keys } = openTwo();
    await stores[0].put({ id: 'x', content: 'tea', ttlMs: 30 });
    await stores[1].put({ id: 'y', content: 'tea with milk' });
    await wait(60);
    expect((await stores[0].search('tea')).map(({ id }) => id)).toEqual(['y']);
    expect(await shared.client.pttl(keys.records)).toBe(-1);
    await expectSameAsFresh(keys);
  });
});

async function keysBelow(keyPrefix: string): Promise<string[]> {
  const all = await shared.client.keys('*');
  return all.filter((key) => key.startsWith(keyPrefix)).sort();
}
