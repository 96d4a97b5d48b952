import type { RecordInput } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();
const NIGHTLY = { tags: ['nightly'] };
const COMMON = ['heron', 'crane', 'stork', 'egret'];

/** Enough records that the common words are split, with these words in different frequencies and texts of many lengths. */
function recordsOf(count: number, from = 0): RecordInput[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + index;
    const held = COMMON.flatMap((word, k) =>
      n % (k + 1) === 0 ? Array<string>(1 + ((n >> k) % 7 === 0 ? 3 : 0)).fill(word) : [],
    );
    const filling = Array.from({ length: (n * 7919) % 60 }, (_, at) => `w${(n * 31 + at * 17) % 500}x`);
    return {
      id: `${n}`,
      content: [...held, ...filling, n % 997 === 0 ? 'quetzal' : 'pond'].join(' '),
      metadata: { kind: n % 400 === 3 ? 'rare' : n % 3 === 0 ? 'third' : 'common' },
    };
  });
}

const QUERIES = [
  'heron crane stork',
  'heron',
  'heron crane pond',
  'crane pond',
  'egret stork crane heron pond',
  'quetzal heron pond',
  'pond w7x',
];

describe('words that thousands of records have', { ...NIGHTLY, timeout: 300_000 }, () => {
  it('are found with the scores of an in-memory store, while records are added, replaced and deleted', async () => {
    const memory = new InMemoryStore({ name: 'memory' });
    const redis = new RedisStore({ client: shared.client, keyPrefix: freshPrefix(), name: 'memory' });
    const both = async (change: (store: InMemoryStore | RedisStore) => Promise<unknown>) => {
      for (const store of [memory, redis]) await change(store);
    };
    const compare = async () => {
      for (const query of QUERIES) {
        for (const filter of [undefined, { kind: 'rare' }, { kind: 'third' }]) {
          const options = { maxSearchResults: 10, filter };
          const [expected = [], found = []] = await Promise.all(
            [memory, redis].map((store) => store.search(query, options)),
          );
          const scores = (entries: typeof found) => entries.map(({ score = 0 }) => score.toPrecision(9));
          expect(scores(found), query).toEqual(scores(expected));
        }
      }
    };
    await both((store) => store.putMany(recordsOf(8_000)));
    await compare();
    // Records of other lengths, so that their words change their classes.
    await both((store) => store.putMany(recordsOf(300, 9_000).map((record, n) => ({ ...record, id: `${n * 17}` }))));
    for (let n = 0; n < 40; n++) await both((store) => store.delete(`${n * 13}`));
    await compare();
  });
});

describe('words with other forms in each language', { timeout: 300_000 }, () => {
  const ENGLISH = ['The organisations in the north of the country are open on this day', 'and they work with us'];
  const GERMAN = ['Die Organisation im Norden des Landes ist an diesem Tag offen', 'und sie arbeitet mit uns'];
  /** Half of them in German, some of which hold the form of both languages. */
  const inTwoLanguages = (count: number, bothForms: number): RecordInput[] =>
    Array.from({ length: count }, (_, n) => ({
      id: `${n}`,
      content: [
        ...(n % 2 === 0 ? ENGLISH : GERMAN).slice(0, 1 + (n % 3)),
        ...(n % 2 === 1 && n < 2 * bothForms ? ['organis organis'] : []),
        n % 7 === 0 ? 'quetzal' : 'pond',
      ].join(' '),
    }));

  it.each([
    [3_000, 40],
    [rounds(12_000, 5_000), 0],
  ])(
    'are found with the scores of an in-memory store in %i records, %i of them with both forms',
    async (count, both) => {
      const stores = [
        new InMemoryStore({ name: 'memory' }),
        new RedisStore({ client: shared.client, keyPrefix: freshPrefix(), name: 'memory' }),
      ];
      const records = inTwoLanguages(count, both);
      for (const store of stores) {
        for (let from = 0; from < count; from += 2_000) await store.putMany(records.slice(from, from + 2_000));
      }
      for (const query of ['organisations', 'organisation quetzal', 'organisations in the north']) {
        const [expected, found] = await Promise.all(
          stores.map((store) => store.search(query, { maxSearchResults: 50 })),
        );
        const scored = (entries: typeof found) => entries?.map(({ id, score = 0 }) => [id, score.toPrecision(9)]);
        expect(scored(found), query).toEqual(scored(expected));
      }
    },
  );
});
