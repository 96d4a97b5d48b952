import { setTimeout as wait } from 'node:timers/promises';
import type { Embedder, MemoryEntry, Namespace, RecordInput } from '@keepsake/core';
import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { CREATED, filter, inputOf, QUERIES, toRecord } from '@keepsake/suites/stores/random-inputs';
import { describeSearchTree, WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RedisClient, RedisStore, type RedisStoreOptions } from '../src/index.ts';
import { READ_CHANGES } from '../src/lua/records/log-scripts.ts';
import { freshPrefix, sharedCluster, sharedRedis } from './connections.ts';

const server = sharedRedis();

// What an embedder adds does not replace the search by words. The kit searches with descendants on a cluster.
for (const [where, share] of [['one server', sharedRedis] as const, ['a cluster', sharedCluster] as const]) {
  for (const [how, own] of [['', {}] as const, [', with an embedder', { embedder: WORD_EMBEDDER }] as const]) {
    const tags = where === 'one server' && how !== '' ? [] : ['nightly'];
    describe('RedisStore', { tags }, () => {
      const shared = share();
      describeSearchTree(`RedisStore on ${where}${how}`, (namespace) => {
        return new RedisStore({ client: shared.client, keyPrefix: freshPrefix(), name: 'words', namespace, ...own });
      });
    });
  }
}

type Own = Partial<RedisStoreOptions>;

function open(own: Own = {}) {
  return new RedisStore({ client: server.client, keyPrefix: freshPrefix(), name: 'memory', ...own });
}

interface Placed {
  readonly place: Namespace;
  readonly record: RecordInput;
}

/** A store with records in several namespaces, and one with all of them in a single namespace. */
async function openBoth(records: readonly Placed[], own: Own = {}, keyPrefix = freshPrefix()) {
  const [tree, flat] = [open({ ...own, keyPrefix }), open(own)];
  await flat.putMany(records.map(({ record }) => record));
  for (const { place, record } of records) await tree.within(place).put(record);
  return { tree, flat };
}

/** Entries by id, because which of two with the same score comes first depends on their order of creation. */
function byId(entries: readonly MemoryEntry[], number: (value: number) => unknown = (value) => value) {
  const numbers = (fields: object = {}) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, number(value)]));
  return Object.fromEntries(
    entries.map(({ id, content, turn, excerpt, score = 0, explanation: { sum, factors } = {} }) => [
      id,
      { content, turn, excerpt, score: number(score), sum: numbers(sum), factors: numbers(factors) },
    ]),
  );
}

function expectAlike(tree: readonly MemoryEntry[], flat: readonly MemoryEntry[], query: string): void {
  expect(byId(tree), query).toEqual(byId(flat, (value) => expect.closeTo(value, 6)));
}

/** Texts so different that the deviation of their cosines has many significant digits. */
const DIFFERENT = ['tea', 'xyzzy xyzzy', 'guitar guitar', 'kkk'].map((content) => {
  return { id: content, content, createdAt: new Date(CREATED).toISOString() };
});

/** Puts each conversation into one namespace, and other records into any. */
function placeOf({ turn }: RecordInput, n: number): Namespace {
  if (turn !== undefined) return ['talk', turn.thread];
  return ([[], ['notes'], ['notes', 'old'], ['talk', 'a']] as const)[n % 4] as Namespace;
}

/** A client that passes each script to `around`, which sends it. */
function clientWith(around: (sha: unknown, send: () => Promise<unknown>) => Promise<unknown>): RedisClient {
  const { client } = server;
  return {
    call: (command, values) => client.call(command, values),
    callBuffer: (command, values) => around(values[0], () => client.callBuffer(command, values)),
  };
}

describe('Search in RedisStore with descendants', () => {
  for (const embedder of [undefined, fakeEmbedder]) {
    const own = embedder === undefined ? {} : { embedder };
    const how = embedder === undefined ? '' : ', with an embedder';

    const same = `finds the same as a search of a single namespace, in any language and with any filter${how}`;
    it(same, { tags: embedder === undefined ? ['nightly'] : [] }, async () => {
      let found = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(inputOf('some'), { selector: ({ n }) => n, minLength: 10, maxLength: 40 }),
          fc.option(filter, { nil: undefined }),
          async (inputs, filter) => {
            const all: RecordInput[] = [...DIFFERENT, ...inputs.map(toRecord)];
            const records = all.map((record, n) => ({ place: placeOf(record, n), record }));
            const { tree, flat } = await openBoth(records, own);
            for (const query of QUERIES) {
              const options = { explain: true, maxSearchResults: 50, ...(filter ? { filter } : {}) };
              const entries = await tree.search(query, { ...options, descendants: true });
              expectAlike(entries, await flat.search(query, options), query);
              found += entries.length;
            }
          },
        ),
        { numRuns: rounds(15, 3) },
      );
      expect(found).toBeGreaterThan(100);
    });

    it(`neither finds nor counts expired records${how}`, async () => {
      const keyPrefix = freshPrefix();
      const { tree, flat } = await openBoth(
        [
          { place: [], record: { id: 'top', content: 'a cup of tea' } },
          { place: ['a'], record: { id: 'a', content: 'tea with milk' } },
          { place: ['b', 'c'], record: { id: 'c', content: 'no coffee' } },
        ],
        own,
        keyPrefix,
      );
      const expired = [1, 2, 3, 4, 5].map((n) => ({ id: `expired ${n}`, content: 'tea tea cup', ttlMs: 1 }));
      await tree.within(['a']).putMany(expired);
      await wait(10);
      const query = 'tea or coffee';
      const entries = await tree.search(query, { descendants: true, explain: true });
      expectAlike(entries, await flat.search(query, { explain: true }), query);
      expect(entries).toHaveLength(3);
    });
  }

  it('embeds the query once, and reads each vector once', async () => {
    const texts: string[] = [];
    const embedder: Embedder = {
      ...fakeEmbedder,
      embed(given) {
        texts.push(...given);
        return fakeEmbedder.embed(given);
      },
    };
    let vectors = 0;
    const client = clientWith(async (sha, send) => {
      const reply = await send();
      // Of each change its id, its number, its value and its vector.
      const [, , , , , ...changes] = sha === READ_CHANGES.sha ? (reply as unknown[]) : [];
      vectors += changes.filter((part, place) => place % 4 === 3 && part !== null).length;
      return reply;
    });
    const tree = open({ client, embedder });
    for (const n of [1, 2, 3]) await tree.within([`${n}`]).put({ id: `${n}`, content: `abc ${n}` });
    const search = async () => {
      texts.length = 0;
      vectors = 0;
      const found = await tree.search('cba', { descendants: true });
      return { found: found.map(({ id }) => id).sort(), texts: [...texts], vectors };
    };
    expect(await search()).toEqual({ found: ['1', '2', '3'], texts: ['cba'], vectors: 3 });
    await tree.within(['2']).put({ id: '4', content: 'abc 4' });
    await tree.within(['3']).clear();
    expect(await search()).toEqual({ found: ['1', '2', '4'], texts: ['cba'], vectors: 1 });
  });
});
