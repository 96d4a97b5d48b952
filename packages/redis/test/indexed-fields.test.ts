import { describeIndexedFields } from '@keepsake/conformance';
import type { RecordInput, RecordStore } from '@keepsake/core';
import { startRedis } from '@keepsake/services';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storeKeys } from '../src/client/keys.ts';
import type { RedisClient, ScriptArgument } from '../src/client/redis-client.ts';
import { RedisStore, type RedisStoreOptions } from '../src/index.ts';
import { INDEX_FIELDS } from '../src/lua/records/index-fields.ts';
import { LIST } from '../src/lua/records/read-records.ts';
import { STAGE } from '../src/lua/records/staging.ts';
import { CANDIDATES } from '../src/lua/search/candidates.ts';
import { PASSING, SEARCH } from '../src/lua/search/search.ts';
import { freshPrefix, sharedCluster, sharedRedis } from './connections.ts';
import { fakeEmbedder } from './fake-embedder.ts';
import { readIndex } from './read-index.ts';

const shared = sharedRedis();

const SCRIPTS = { INDEX_FIELDS, LIST, STAGE, CANDIDATES, PASSING, SEARCH };

/** A client that notes which scripts are sent, and calls `before` before each of them; it can throw. */
function watched(before: (script: string) => unknown = () => {}, base?: Redis) {
  const scripts: string[] = [];
  const call =
    (method: 'call' | 'callBuffer') =>
    async (command: string, values: ScriptArgument[]): Promise<unknown> => {
      const known = Object.entries(SCRIPTS).find(([, { sha, lua }]) => values[0] === sha || values[0] === lua);
      if (known !== undefined) {
        scripts.push(known[0]);
        await before(known[0]);
      }
      return (base ?? shared.client)[method](command, values);
    };
  const client: RedisClient = { call: call('call'), callBuffer: call('callBuffer') };
  return { client, scripts };
}

// The index of a namespace is on one node, as its records are.
for (const [where, share, tags] of [
  ['one server', sharedRedis, []],
  ['a cluster', sharedCluster, ['nightly']],
] as const) {
  describe('RedisStore', { tags: [...tags] }, () => {
    const place = share();
    describeIndexedFields({
      describe,
      it,
      name: `RedisStore on ${where}`,
      capabilities: new RedisStore({ client: watched().client, name: 'memory' }).capabilities,
      harness() {
        const keyPrefix = freshPrefix();
        return {
          open: (options = {}) => new RedisStore({ client: place.client, keyPrefix, name: 'memory', ...options }),
        };
      },
    });
  });
}

function opener(keyPrefix = freshPrefix()) {
  return (own: Partial<RedisStoreOptions> = {}) =>
    new RedisStore({ client: shared.client, keyPrefix, name: 'memory', ...own });
}

const idsOf = (found: readonly { readonly id?: string }[]) => found.map(({ id }) => id);

/** The postings of values, by the ids of their records. */
async function valuesIn(keyPrefix: string, client = shared.client) {
  const { terms } = await readIndex(client, storeKeys(keyPrefix, []));
  return terms.filter(([term]) => term.startsWith('\u0002'));
}

describe('the index of fields in Redis', { timeout: 120_000 }, () => {
  const FIELDS = ['kind', 'tag', 'source.run'];
  const TAGS = ['a', 'b', 3, 3.5, 1e21, null, true, [3], { a: 3 }, '\ud800', '\u0000', 'x'.repeat(3_000)];

  const record = fc.record({
    id: fc.integer({ min: 0, max: 60 }).map(String),
    content: fc.constantFrom('heron', 'crane and heron', `long ${'stork '.repeat(600)}`),
    metadata: fc.record(
      { kind: fc.constantFrom('note', 'task', 'rare'), tag: fc.constantFrom(...TAGS) },
      { requiredKeys: [] },
    ),
    source: fc.option(fc.record({ run: fc.constantFrom('r1', 'r2', 'r3') }), { nil: undefined }),
    index: fc.boolean(),
  });
  const change = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ put: fc.array(record as fc.Arbitrary<RecordInput>, { minLength: 1, maxLength: 5 }) }),
    },
    { weight: 2, arbitrary: fc.record({ from: fc.integer({ min: 0, max: 1_000 }) }) },
    { weight: 3, arbitrary: fc.record({ remove: fc.integer({ min: 0, max: 60 }).map(String) }) },
    { weight: 2, arbitrary: fc.record({ ask: fc.constantFrom(...FIELDS) }) },
  );

  /** More than one slice, among them records that are there. */
  const large = (from: number): RecordInput[] =>
    Array.from({ length: 400 }, (_, n) => ({
      id: `${(from + n) % 1_200}`,
      content: `heron ${n} saw a crane near bridge ${n % 7} in winter`,
      metadata: { kind: n % 9 === 0 ? 'rare' : 'note', tag: (n % 5) as number },
    }));

  it('is after any changes what it would be if it were made of the records that are there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 3, maxLength: 12 }), async (changes) => {
        const [changed, fresh] = [freshPrefix(), freshPrefix()];
        const [indexed, plain] = [opener(changed)({ indexed: FIELDS }), opener(changed)()];
        for (const one of changes) {
          if ('put' in one) await plain.putMany(one.put);
          else if ('from' in one) await plain.putMany(large(one.from));
          else if ('remove' in one) await plain.delete(one.remove);
          else await opener(changed)({ indexed: [one.ask] }).list({ filter: { [one.ask]: 'x' } });
        }
        await indexed.list({ filter: { kind: 'x', tag: 'x', 'source.run': 'x' } });
        const all = [];
        for await (const { items } of pagesOf(plain)) all.push(...items);
        const copy = opener(fresh)({ indexed: FIELDS });
        if (all.length > 0)
          await copy.putMany(
            all.map(({ id, content, metadata, source, index }) => ({
              id,
              content,
              metadata,
              source: sourceOf(source),
              index,
            })),
          );
        await copy.list({ filter: { kind: 'x', tag: 'x', 'source.run': 'x' } });
        expect(await valuesIn(changed)).toEqual(await valuesIn(fresh));
      }),
      { numRuns: rounds(25, 5) },
    );
  });

  it('is made in steps that an aborted list leaves for the next one, while records change', async () => {
    const keyPrefix = freshPrefix();
    const open = opener(keyPrefix);
    const records = Array.from({ length: 3_000 }, (_, n) => ({ id: `${n}`, content: 'tea', metadata: { n: n % 750 } }));
    await open().putMany(records);
    const controller = new AbortController();
    let steps = 0;
    const { client } = watched(async (script) => {
      if (script === 'INDEX_FIELDS' && ++steps === 3) controller.abort();
    });
    const store = open({ client, indexed: ['n'] });
    const listing = store.list({ filter: { n: 7 }, signal: controller.signal });
    await expect(listing).rejects.toMatchObject({ code: 'ABORTED' });
    await open().put({ id: '7', content: 'tea', metadata: { n: 8 } });
    await open().put({ id: '2258', content: 'tea', metadata: { n: 7 } });
    await open().delete('757');
    await open().put({ id: 'new', content: 'tea', metadata: { n: 7 } });
    const ids = ['new', '2258', '2257', '1507'];
    expect(idsOf((await store.list({ filter: { n: 7 } })).items)).toEqual(ids);
    expect(steps).toBeLessThan(10);
    expect(idsOf((await open().list({ filter: { n: 7 } })).items)).toEqual(ids);
    expect((await valuesIn(keyPrefix)).reduce((sum, [, documents]) => sum + documents.length, 0)).toBe(3_000);
  });

  it('is made by two processes at once, while another puts a large batch', async () => {
    const open = opener();
    await open().putMany(large(0));
    const stores = [open({ indexed: ['kind'] }), open({ indexed: ['kind', 'tag'] })];
    const filter = { kind: 'rare', tag: 4 };
    const [, ...lists] = await Promise.all([
      open().putMany(large(200)),
      ...stores.map((store) => store.list({ filter })),
      ...stores.map((store) => store.search('heron', { filter })),
    ]);
    expect(lists).toHaveLength(4);
    const all = (await open().list({ filter, limit: 1_000 })).items;
    for (const store of stores) expect(idsOf((await store.list({ filter, limit: 1_000 })).items)).toEqual(idsOf(all));
  });

  it('is not needed: a user who may not write finds the same', async () => {
    const server = await startRedis({ own: true });
    onTestFinished(() => server.stop());
    const admin = new Redis(server.url);
    onTestFinished(() => admin.disconnect());
    const keyPrefix = freshPrefix();
    await opener(keyPrefix)({ client: admin }).putMany(large(0));
    await admin.call('ACL', 'SETUSER', 'reader', 'on', '>secret', '~*', '+@all', '-@write');
    const user = new Redis(server.url, { username: 'reader', password: 'secret' });
    onTestFinished(() => user.disconnect());
    const { client, scripts } = watched(() => {}, user);
    const reader = opener(keyPrefix)({ client, indexed: ['kind'] });
    const filter = { kind: 'rare' };
    expect(idsOf((await reader.list({ filter, limit: 100 })).items)).toHaveLength(45);
    expect(idsOf(await reader.search('heron', { filter, maxSearchResults: 100 }))).toHaveLength(45);
    expect(idsOf(await reader.search('heron', { filter, maxSearchResults: 100, descendants: true }))).toHaveLength(45);
    expect(scripts).toContain('INDEX_FIELDS');
    expect(await valuesIn(keyPrefix, admin)).toEqual([]);
  });
});

function sourceOf(source: RecordInput['source']) {
  return source?.run === undefined ? undefined : { run: source.run };
}

async function* pagesOf(store: RecordStore) {
  for (let cursor: string | undefined; ; ) {
    const page = await store.list({ limit: 500, cursor, order: 'oldest' });
    yield page;
    if (page.cursor === undefined) return;
    cursor = page.cursor;
  }
}

/** More than one script filters, and a tenth are more than few. */
const COUNT = rounds(10_000, 6_000);
const FILTERS = [
  { kind: 'rare' },
  { kind: 'some' },
  { kind: 'some', even: false },
  { kind: 'some', even: true },
  { kind: 'none' },
];

describe('a filter over an indexed field of many records', { timeout: 120_000 }, () => {
  /** All hold a word of the query: most are of the first kind, a tenth of the second, few of the third. */
  const RECORDS: readonly RecordInput[] = Array.from({ length: COUNT }, (_, n) => ({
    id: `${n}`,
    content: `heron ${n} ${'crane '.repeat(1 + (n % 5))}near bridge ${n % 7} ${`w${n % 50} `.repeat(n % 9)}`,
    metadata: { kind: n % 500 === 3 ? 'rare' : n % 10 === 4 ? 'some' : 'common', even: n % 2 === 0 },
    createdAt: new Date(Date.UTC(2020, 0, 1) + n * 3_600_000).toISOString(),
  }));
  const QUERIES = ['heron crane', 'bridge 3', 'heron bridge w7', 'heron in May 2020'];

  async function place(own: Partial<RedisStoreOptions> = {}, records = RECORDS) {
    const keyPrefix = freshPrefix();
    const { client, scripts } = watched();
    const store = new RedisStore({ client, keyPrefix, name: 'memory', indexed: ['kind'], ...own });
    const plain = new RedisStore({ client: shared.client, keyPrefix: freshPrefix(), name: 'memory', ...own });
    await store.putMany(records);
    await store.list({ filter: { kind: 'rare' } });
    scripts.length = 0;
    return { store, plain, scripts };
  }

  const turns = RECORDS.map((record, n) => ({
    ...record,
    turn: { thread: `talk ${n % 30}`, index: Math.floor(n / 30) },
  }));

  for (const how of ['words', 'words and turns', 'words and meaning'] as const) {
    it(`is answered by the index with the results of a store without, by ${how}`, { tags: ['nightly'] }, async () => {
      const own = how === 'words and meaning' ? { embedder: fakeEmbedder } : {};
      const { store, plain, scripts } = await place(own, how === 'words and turns' ? turns : RECORDS);
      await plain.putMany(how === 'words and turns' ? turns : RECORDS);
      for (const query of QUERIES) {
        for (const filter of FILTERS) {
          const options = { filter, maxSearchResults: 10 };
          scripts.length = 0;
          const [found, expected] = await Promise.all([store, plain].map((one) => one.search(query, options)));
          const scores = (entries: typeof found) =>
            entries?.map(({ id, score = 0 }) => `${id} ${score.toPrecision(9)}`);
          expect(scores(found), `${query} ${JSON.stringify(filter)}`).toEqual(scores(expected));
          const below = await store.search(query, { ...options, descendants: true });
          expect(scores(below), `${query} ${JSON.stringify(filter)}`).toEqual(scores(found));
          if (how === 'words and meaning') continue;
          // Only the nearest vectors need to know all documents with a value.
          expect(scripts).not.toContain('CANDIDATES');
          // Those with the value are filtered in steps, because none of the best passes.
          if (filter.even !== false) expect(scripts).not.toContain('PASSING');
        }
      }
    });
  }

  it('is answered in one step if few records have the value', async () => {
    const { store, scripts } = await place();
    await store.search('heron crane', { filter: { kind: 'rare' } });
    expect(scripts.splice(0)).toEqual(['SEARCH']);
    for (const order of ['newest', 'oldest'] as const) {
      const ids: (string | undefined)[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await store.list({ filter: { kind: 'rare' }, order, limit: Math.ceil(COUNT / 1_500), cursor });
        ids.push(...idsOf(page.items));
        cursor = page.cursor;
        if (cursor === undefined) break;
      }
      const expected = Array.from({ length: COUNT / 500 }, (_, n) => `${500 * n + 3}`);
      expect(ids).toEqual(order === 'oldest' ? expected : expected.toReversed());
      expect(scripts.splice(0)).toEqual(['LIST', 'LIST', 'LIST']);
    }
  });
});
