import type { MemoryEntry, RecordInput, RecordStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { startRedis } from '@keepsake/services';
import { byDay, rounds } from '@keepsake/testing/share';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storeKeys } from '../src/client/keys.ts';
import type { RedisClient, ScriptArgument } from '../src/client/redis-client.ts';
import { RedisStore } from '../src/index.ts';
import { STAT } from '../src/lua/records/index-stats.ts';
import { STAGE } from '../src/lua/records/staging.ts';
import { CANDIDATES, REQUIRED_VALUE } from '../src/lua/search/candidates.ts';
import { PASSING, SEARCH } from '../src/lua/search/search.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { fakeEmbedder } from './fake-embedder.ts';

const shared = sharedRedis();

/** A client that calls `before` each time before it runs a script. */
function watched(before: () => unknown, { sha, lua } = SEARCH, client: RedisClient = shared.client): RedisClient {
  const call =
    (method: 'call' | 'callBuffer') =>
    async (command: string, values: ScriptArgument[]): Promise<unknown> => {
      if (values[0] === sha || values[0] === lua) await before();
      return client[method](command, values);
    };
  return { call: call('call'), callBuffer: call('callBuffer') };
}

async function putAll(stores: readonly RecordStore[], records: readonly RecordInput[]): Promise<void> {
  for (const store of stores) {
    for (let from = 0; from < records.length; from += 2_000) await store.putMany(records.slice(from, from + 2_000));
  }
}

const scoresOf = (entries: readonly MemoryEntry[] | undefined) => entries?.map(({ score = 0 }) => score.toPrecision(9));

const WORDS = ['heron', 'crane', 'stork', 'egret'];

/** By day hardly more than one script reads. */
const COUNT = rounds(60_000, 16_000);

/** Each word is in about 60 % of texts of similar lengths, so that no search can leave out many of them. */
const RECORDS: readonly RecordInput[] = Array.from({ length: COUNT }, (_, n) => {
  const held = WORDS.map((word, k) => ((n * (7 + 2 * k)) % 101 < 60 ? word : 'pond'));
  return {
    id: `${n}`,
    content: `${held.join(' ')} ${'reed '.repeat(6 + (n % 2))}`,
    metadata: {
      kind: n % 200 === 3 ? 'rare' : n % 3 === 0 ? 'third' : 'common',
      tenth: n % 10 === 0,
      ninths: n % 9 < 2 ? 'two' : 'other',
      fifth: n % 5 === 0,
    },
    createdAt: new Date(Date.UTC(2020, 0, 1) + n * 300_000).toISOString(),
  };
});
const turns = RECORDS.map((record, n) => ({
  ...record,
  turn: { thread: `talk ${n % 90}`, index: Math.floor(n / 90) },
}));

const FILTERS = byDay({ few: [undefined, { kind: 'rare' }, { ninths: 'two', fifth: true }] }).few ?? [
  undefined,
  { kind: 'common' },
  { kind: 'third' },
  { kind: 'rare' },
  { fifth: true, kind: 'rare' },
  { tenth: true },
  { tenth: true, kind: 'third' },
  { ninths: 'two' },
  { ninths: 'two', fifth: true },
];

const NIGHTLY = { tags: ['nightly'] };

describe('a search for words of which more postings matter than one script reads', { timeout: 300_000 }, () => {
  const findsTheBest = async (records: readonly RecordInput[], other: string) => {
    let scripts = 0;
    const client = watched(() => scripts++);
    const [memory, redis] = [
      new InMemoryStore({ name: 'memory' }),
      new RedisStore({ client, keyPrefix: freshPrefix(), name: 'memory', indexed: ['kind', 'tenth', 'ninths'] }),
    ];
    await putAll([memory, redis], records);
    for (const query of [WORDS.join(' '), other]) {
      for (const filter of FILTERS) {
        scripts = 0;
        const options = { maxSearchResults: 10, filter };
        const [expected, found] = await Promise.all([memory, redis].map((store) => store.search(query, options)));
        expect(scoresOf(found), `${query} ${JSON.stringify(filter)}`).toEqual(scoresOf(expected));
        if (filter === undefined) expect(scripts, query).toBeGreaterThan(1);
        const below = await redis.search(query, { ...options, descendants: true });
        expect(scoresOf(below), `${query} ${JSON.stringify(filter)}, below`).toEqual(scoresOf(expected));
      }
    }
  };
  const title = 'finds the best a section at a time, with the scores of an in-memory store';
  it(`${title}: records`, () => findsTheBest(RECORDS, 'egret stork pond heron in July 2020'));
  // With a date, Redis compares at most 500 turns.
  it(`${title}: turns`, NIGHTLY, () => findsTheBest(turns, 'egret stork pond heron'));

  it('can be aborted between sections', NIGHTLY, async () => {
    const controller = new AbortController();
    let scripts = 0;
    const client = watched(() => {
      if (++scripts === 2) controller.abort();
    });
    const store = new RedisStore({ client, keyPrefix: freshPrefix(), name: 'memory' });
    await putAll([store], RECORDS);
    await expect(store.search(WORDS.join(' '), { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(scripts).toBe(2);
  });

  it('finds those that pass a filter if the best do not pass', NIGHTLY, async () => {
    const stores = [
      new InMemoryStore({ name: 'memory' }),
      new RedisStore({ client: shared.client, keyPrefix: freshPrefix(), name: 'memory' }),
    ];
    const content = (words: readonly string[], n: number) => `${words.join(' ')} ${'reed '.repeat(6 + (n % 2))}`;
    const records = Array.from({ length: 40_000 }, (_, n) => {
      // First those that pass, then some that are not good, and then many that are good and don't pass.
      if (n < 6_000) return { id: `${n}`, content: content(WORDS.slice(n % 2), n), metadata: { passes: true } };
      if (n < 20_000) return { id: `${n}`, content: content([`${WORDS[n % 4]}`], n), metadata: { passes: true } };
      return { id: `${n}`, content: content(WORDS, n), metadata: { passes: n % 400 === 0 } };
    });
    await putAll(stores, records);
    const [expected, found] = await Promise.all(
      stores.map((store) => store.search(WORDS.join(' '), { maxSearchResults: 10, filter: { passes: true } })),
    );
    expect(scoresOf(found)).toEqual(scoresOf(expected));
  });

  it.each([
    ['records', RECORDS],
    ['turns', turns],
  ])('filters the best in steps if their metadata is long, and no others: %s', NIGHTLY, async (_, records) => {
    const keyPrefix = freshPrefix();
    const scripts: string[] = [];
    const noted = [SEARCH, PASSING, CANDIDATES].reduce<RedisClient>(
      (client, script, n) =>
        watched(() => scripts.push(['SEARCH', 'PASSING', 'CANDIDATES'][n] as string), script, client),
      shared.client,
    );
    const [memory, redis] = [
      new InMemoryStore({ name: 'memory' }),
      new RedisStore({ client: noted, keyPrefix, name: 'memory' }),
    ];
    const text = 'sedge '.repeat(700);
    const long = records.slice(0, 9_000).map((record, n) => ({ ...record, metadata: { passes: n % 5 < 2, text } }));
    await putAll([memory, redis], long);
    for (const descendants of [false, true]) {
      scripts.length = 0;
      const options = { filter: { passes: true }, descendants };
      const [expected, found] = await Promise.all(
        [memory, redis].map((store) => store.search(WORDS.join(' '), options)),
      );
      expect(scoresOf(found)).toEqual(scoresOf(expected));
      expect(scripts).toContain('PASSING');
      expect(scripts).not.toContain('CANDIDATES');
    }
  });

  it('reads no more postings if the documents that have the words are next to one another', NIGHTLY, async () => {
    let scripts = 0;
    const keyPrefix = freshPrefix();
    const memory = new InMemoryStore({ name: 'memory' });
    const redis = new RedisStore({ client: watched(() => scripts++), keyPrefix, name: 'memory' });
    await putAll([memory, redis], RECORDS.slice(0, 20_000));
    const query = WORDS.join(' ');
    // The first search also learns the languages of the records.
    await redis.search(query);
    scripts = 0;
    await redis.search(query);
    const usual = scripts;
    // As if many records without these words had been put since, and deleted.
    await shared.client.hincrby(storeKeys(keyPrefix, []).stats, STAT.nextDocument, 600_000);
    scripts = 0;
    const [expected, found] = await Promise.all([memory, redis].map((store) => store.search(query)));
    expect(scoresOf(found)).toEqual(scoresOf(expected));
    // If the first section had all of them, nothing could be left out.
    expect(scripts).toBe(usual);
  });

  it('reads no more while another process puts a large batch, of which it finds nothing', NIGHTLY, async () => {
    const server = await startRedis({ own: true });
    onTestFinished(() => server.stop());
    const own = new Redis(server.url);
    onTestFinished(() => own.disconnect());
    const keyPrefix = freshPrefix();
    const memory = new InMemoryStore({ name: 'memory' });
    const redis = new RedisStore({ client: own, keyPrefix, name: 'memory' });
    const query = 'quetzal heron';
    // Enough of the first have the rare word, so that few postings of the other matter.
    const records = RECORDS.slice(0, 20_000).map((record, n) =>
      n < 2_000 && n % 25 === 0 ? { ...record, content: `${record.content} quetzal` } : record,
    );
    await putAll([memory, redis], records);
    const expected = scoresOf(await memory.search(query));
    const readFields = async () => Number(/cmdstat_hget:calls=(\d+)/.exec(await own.info('commandstats'))?.[1] ?? 0);
    const reads = async () => {
      const before = await readFields();
      expect(scoresOf(await redis.search(query))).toEqual(expected);
      return (await readFields()) - before;
    };
    await reads();
    const usual = await reads();
    const during: number[] = [];
    const client = watched(async () => during.push(await reads()), STAGE, own);
    await new RedisStore({ client, keyPrefix, name: 'memory' }).putMany(
      records.slice(2_000, 3_000).map((record) => ({ ...record, id: `new ${record.id}` })),
    );
    expect(during.length).toBeGreaterThan(2);
    expect(Math.max(...during), `${usual}`).toBeLessThan(1.2 * usual);
  });

  it(
    'goes on with what words were worth before, and finds others for what was deleted, between sections',
    NIGHTLY,
    async () => {
      const keyPrefix = freshPrefix();
      const query = WORDS.join(' ');
      let scripts = 0;
      let change = async (): Promise<unknown> => undefined;
      const client = watched(() => (++scripts === 2 ? change() : undefined));
      const store = new RedisStore({ client, keyPrefix, name: 'memory' });
      const other = new RedisStore({ client: shared.client, keyPrefix, name: 'memory' });
      const content = `${query} ${query} ${'reed '.repeat(6)}`;
      // The first section has the best, and those of the others are equal.
      const best = Array.from({ length: 55 }, (_, n) => ({ id: `best ${n}`, content }));
      await putAll([other], [...best, ...RECORDS]);
      const found = async (limit: number) => {
        scripts = 0;
        const entries = await store.search(query, { maxSearchResults: limit });
        expect(scripts).toBeGreaterThan(1);
        return entries.map(({ id }) => id);
      };
      const all = await found(90);
      // Makes all words worth a little less, so that those found later would have lower scores than equal ones before.
      const others = RECORDS.filter(({ content }, n) => n % 2 === 1 && !WORDS.some((word) => content.includes(word)));
      change = () => Promise.all(others.slice(0, 20).map(({ id }) => other.delete(`${id}`)));
      expect(await found(90)).toEqual(all);
      change = () => Promise.all(best.map(({ id }) => other.delete(id)));
      expect(await found(10)).toEqual(all.slice(55, 65));
    },
  );

  it.each([
    ['is filtered', SEARCH, 2, {}],
    ['looks up an indexed value', REQUIRED_VALUE, 1, { indexed: ['kind'], embedder: fakeEmbedder }],
  ])('finds nothing in a namespace that is cleared while it %s', NIGHTLY, async (_, script, nth, options) => {
    const keyPrefix = freshPrefix();
    const other = new RedisStore({ client: shared.client, keyPrefix, name: 'memory', ...options });
    await putAll(
      [other],
      RECORDS.slice(0, 12_000).map(({ metadata: _, ...record }, n) => ({
        ...record,
        metadata: { kind: n % 12 === 0 ? 'some' : 'other' },
      })),
    );
    let scripts = 0;
    const client = watched(() => (++scripts === nth ? other.clear() : undefined), script);
    const store = new RedisStore({ client, keyPrefix, name: 'memory', ...options });
    const signal = AbortSignal.timeout(20_000);
    expect(await store.search(WORDS.join(' '), { filter: { kind: 'some' }, signal })).toEqual([]);
    expect(scripts).toBeGreaterThanOrEqual(nth);
  });
});
