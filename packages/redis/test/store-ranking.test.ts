import type { JsonObject, MemoryEntry, RecordInput, SearchOptions, Turn } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';
import { fakeEmbedder } from './fake-embedder.ts';

const shared = sharedRedis();
const CREATED = Date.UTC(2024, 0, 1);

function openBoth(options: object = {}) {
  const memory = new InMemoryStore({ name: 'memory', ...options });
  const redis = new RedisStore({ client: shared.client, keyPrefix: freshPrefix(), name: 'memory', ...options });
  return { memory, redis, both: [memory, redis] as const };
}

/** Sums of the same numbers in another order differ in their last digits. */
function rounded(value: number): string {
  return value.toPrecision(9);
}

function roundedFields(fields: Readonly<Record<string, number>> | undefined): Record<string, string> {
  const shown = Object.entries(fields ?? {}).filter(([, value]) => value !== 0);
  return Object.fromEntries(shown.map(([name, value]) => [name, rounded(value)]));
}

function comparable({ id, score, explanation, content, turn }: MemoryEntry) {
  const { sum, factors } = explanation ?? {};
  return { id, content, turn, score: rounded(score ?? 0), sum: roundedFields(sum), factors: roundedFields(factors) };
}

/**
 * Expects the same scores in the same order, and each entry to be as the other store has it. Entries of the same score
 * may change places: to one store the newest was put last, to the other it was created last.
 */
async function expectSame(
  { memory, redis }: ReturnType<typeof openBoth>,
  query: string,
  options: SearchOptions = {},
): Promise<number> {
  const found = await redis.search(query, { explain: true, ...options });
  const expected = await memory.search(query, { explain: true, ...options });
  const name = JSON.stringify([query, options]);
  expect(
    found.map(({ score }) => rounded(score ?? 0)),
    name,
  ).toEqual(expected.map(({ score }) => rounded(score ?? 0)));
  const all = await memory.search(query, { explain: true, ...options, maxSearchResults: 10_000 });
  const byId = new Map(all.map((entry) => [entry.id, comparable(entry)]));
  for (const entry of found) expect(comparable(entry), name).toEqual(byId.get(entry.id));
  return found.length;
}

const WORDS = [
  ...[
    'apple',
    'pie',
    'bought',
    'guitar',
    'mother',
    'yesterday',
    'Ada',
    'Ben',
    'lighthouse',
    'the',
    'is',
    'May',
    '2024',
  ],
  ...['Haus', 'Garten', 'gekauft', 'und', 'nicht', 'maison', 'jardin', 'les', 'est', 'casa', 'perro', 'los'],
  ...['茶', '東京', 'ночь', 'дом', '커피', 'ชา', 'café', 'naïve', "don't", 'e-mail', '3.5', '🍵'],
];
/** None of stop words alone: of those, Redis knows only what texts without any other word have. */
const QUERIES = [
  'When did Ada buy an apple pie?',
  'Which instrument has Ben?',
  'the lighthouse in May 2024',
  'apple apple guitar relatives',
  'Wer hat das Haus gekauft?',
  'les maisons du jardin',
  '東京 茶',
  'ночь дом',
  'What did Ben say yesterday about the email?',
];
const word = fc.constantFrom(...WORDS);
// Within what `weigh.ts` keeps exactly: no word more than twice, no more than 32 of them.
const text = fc
  .tuple(fc.uniqueArray(word, { minLength: 1, maxLength: 12 }), fc.boolean(), fc.boolean())
  .map(([words, twice, asks]) => `${[...words, ...(twice ? words.slice(0, 1) : [])].join(' ')}${asks ? '?' : ''}`);
// Neighbours are those without 128 missing indexes in between, see the last test.
const turn = fc.record(
  {
    thread: fc.constantFrom('a', 'b', 'c'),
    index: fc.oneof(fc.nat({ max: 12 }), fc.constantFrom(60, 126, 127, 128, 129)),
    speaker: fc.constantFrom('Ada', 'Ben', 'Cid Ada', 'Will'),
  },
  { requiredKeys: ['thread', 'index'] },
);
const metadata = fc.record(
  {
    topic: fc.constantFrom('tea', 'Tea', '\ud83c', '\ue000', '\u{1f375}', null, true),
    rank: fc.constantFrom(0, 1, -1.5, 2 ** 53, 1e300),
    list: fc.constant([1, { a: '\udc00' }]),
  },
  { requiredKeys: [] },
);
const inputOf = (turns: 'none' | 'all' | 'some') =>
  fc.record({
    n: fc.nat({ max: 50 }),
    content: text,
    turn:
      turns === 'none' ? fc.constant(undefined) : turns === 'all' ? turn : fc.option(turn, { nil: undefined, freq: 2 }),
    metadata,
    index: fc.constantFrom(true, true, true, true, false),
  });
type Input = ReturnType<typeof inputOf> extends fc.Arbitrary<infer T> ? T : never;

const filter = fc.oneof(
  fc.record({ topic: fc.constantFrom('tea', '\ud83c', null, true) }),
  fc.record({ topic: fc.record({ in: fc.constant(['Tea', '\ue000', false]) }) }),
  fc.record({ topic: fc.record({ gt: fc.constantFrom('T', '\ud83c', '\ue000') }) }),
  fc.record({ rank: fc.constantFrom({ gte: 0, lt: 1e300 }, { lte: -1.5 }, { exists: false }) }),
  fc.record({ list: fc.record({ exists: fc.boolean() }) }),
  fc.constant({ createdAt: { gte: '2024-01-02' } }),
  fc.constant({ topic: { exists: true }, rank: { gt: -2 } }),
);

function toRecord({ n, content, turn, metadata, index }: Input): RecordInput {
  const createdAt = new Date(CREATED + n * 3_600_000).toISOString();
  return {
    id: `record ${n}`,
    content,
    metadata: metadata as JsonObject,
    index,
    createdAt,
    ...(turn === undefined ? {} : { turn: turn as Turn }),
  };
}

describe('RedisStore finds what InMemoryStore does, with the same scores', () => {
  for (const turns of ['none', 'some', 'all'] as const) {
    it(`after any history, in any language, with any filter: ${turns} of the records are turns`, async () => {
      let found = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.array(inputOf(turns), { minLength: 1, maxLength: 15 }), fc.nat({ max: 50 })), {
            minLength: 1,
            maxLength: 8,
          }),
          fc.option(filter, { nil: undefined }),
          fc.constantFrom(1, 3, 10),
          async (batches, filter, maxSearchResults) => {
            const stores = openBoth();
            for (const [inputs, gone] of batches) {
              for (const store of stores.both) {
                await store.putMany(inputs.map(toRecord));
                await store.delete(`record ${gone}`);
              }
            }
            for (const query of QUERIES) {
              found += await expectSame(stores, query, { maxSearchResults, ...(filter ? { filter } : {}) });
            }
          },
        ),
        { numRuns: 25 },
      );
      expect(found).toBeGreaterThan(100);
    });
  }

  it('one language for all, with no stop words and no word forms', async () => {
    for (const language of ['none', 'de'] as const) {
      const stores = openBoth({ language });
      const inputs = fc.sample(inputOf('some'), { numRuns: 60, seed: 7 }).map(toRecord);
      for (const store of stores.both) await store.putMany(inputs);
      for (const query of QUERIES) await expectSame(stores, query);
    }
  });

  it('where thousands have a word, and some of them go', async () => {
    const stores = openBoth();
    const inputs = Array.from({ length: 3_000 }, (_, n) => ({
      id: `${n}`,
      content: `tea ${WORDS[n % 13]} ${WORDS[(n * 7) % 11]} ${n % 97}`,
      ...(n % 3 === 0 ? { turn: { thread: `t${n % 4}`, index: n } } : {}),
    }));
    for (const store of stores.both) await store.putMany(inputs);
    for (let n = 0; n < 3_000; n += 11) for (const store of stores.both) await store.delete(`${n}`);
    for (const query of ['tea', 'tea 42', 'apple guitar tea', 'the mother of Ben']) {
      for (const maxSearchResults of [1, 10, 100]) await expectSame(stores, query, { maxSearchResults });
    }
  });

  it('in threads of hundreds of turns, with holes, of hundreds of speakers', async () => {
    for (const speakers of [3, 199, 200]) {
      const stores = openBoth();
      const inputs = Array.from({ length: 900 }, (_, n) => ({
        id: `${n}`,
        content: `${WORDS[(n * 5) % 17]} ${WORDS[(n * 11) % 29]} ${n % 10 === 0 ? 'lighthouse?' : 'and so'}`,
        turn: { thread: `t${n % 2}`, index: n + (n > 500 ? 100 : 0), speaker: `Speaker ${n % speakers} Ada` },
        // "Yesterday" is not to move between the two searches.
        createdAt: new Date(CREATED + n * 60_000).toISOString(),
      }));
      for (const store of stores.both) await store.putMany(inputs);
      for (const query of QUERIES) await expectSame(stores, query, { maxSearchResults: 20 });
      await expectSame(stores, 'What did speaker 2 say about the lighthouse?');
    }
  });

  it('of more than 200 speakers it tells nobody apart, and finds what holds the words', async () => {
    const { redis } = openBoth();
    const inputs = Array.from({ length: 260 }, (_, n) => ({
      id: `${n}`,
      content: n % 2 ? 'the lighthouse' : 'a guitar',
      turn: { thread: 'a', index: n, speaker: `Ada ${n}` },
    }));
    await redis.putMany(inputs);
    const found = await redis.search('What did Ada 7 say about the lighthouse?', {
      maxSearchResults: 200,
      explain: true,
    });
    expect(found.filter(({ content }) => content === 'the lighthouse')).toHaveLength(130);
    expect(found.filter(({ explanation }) => explanation?.factors.speaker !== 1)).toEqual([]);
  });

  it('asked for a thousand entries of neighbours without end', async () => {
    const stores = openBoth();
    const inputs = Array.from({ length: 2_500 }, (_, n) => ({
      id: `${n}`,
      content: `${n % 2 ? 'lighthouse' : 'guitar'} ${n % 50}`,
      turn: { thread: 'one', index: n },
    }));
    for (const store of stores.both) await store.putMany(inputs);
    await expectSame(stores, 'lighthouse 7', { maxSearchResults: 1_000 });
  });

  it('by meaning, too', async () => {
    const stores = openBoth({ embedder: fakeEmbedder });
    const sample = fc.sample(inputOf('some'), { numRuns: 80, seed: 11 });
    const inputs = sample.map((input, n) => toRecord({ ...input, n }));
    for (const store of stores.both) {
      await store.putMany(inputs.slice(0, 50));
      await store.search('so that vectors are read');
      await store.putMany(inputs.slice(50));
      await store.delete('record 3');
    }
    for (const query of QUERIES) {
      await expectSame(stores, query);
      await expectSame(stores, query, { filter: { rank: { exists: true } } });
    }
  });

  it('nearly so where texts are long and repeat their words', async () => {
    const stores = openBoth();
    const words = fc.sample(fc.array(word, { minLength: 40, maxLength: 300 }), { numRuns: 200, seed: 3 });
    const inputs = words.map((list, n) => ({ id: `${n}`, content: list.join(' ') }));
    for (const store of stores.both) await store.putMany(inputs);
    for (const query of QUERIES) {
      const [expected, found] = await Promise.all(stores.both.map((store) => store.search(query)));
      const exact = new Map((await stores.memory.search(query, { maxSearchResults: 200 })).map((e) => [e.id, e.score]));
      expect(found).toHaveLength((expected as MemoryEntry[]).length);
      const least = expected?.at(-1)?.score ?? 0;
      for (const { id, score = 0 } of found ?? []) {
        const own = exact.get(id) ?? 0;
        expect(Math.abs(score - own) / own).toBeLessThan(0.15);
        expect(own / least).toBeGreaterThan(0.75);
      }
    }
  });

  it('but for turns with more than a hundred missing indexes in between, which are no neighbours', async () => {
    const stores = openBoth();
    const indexes = [0, 1, 3, 5_000, 2 ** 31, 2 ** 40, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER];
    const inputs = indexes.map((index, n) => ({ id: `${n}`, content: `tea ${n}`, turn: { thread: 'a', index } }));
    for (const store of stores.both) await store.putMany(inputs);
    const found = await stores.redis.search('tea', { explain: true });
    expect(found.map(({ id }) => id).sort()).toEqual(inputs.map(({ id }) => id));
    const alone = found.filter(({ explanation }) => !explanation?.sum.neighbours).map(({ id }) => id);
    expect(alone.sort()).toEqual(['3', '4', '7']);
    await stores.redis.putMany(inputs.map((input) => ({ ...input, content: `milk ${input.id}` })));
    for (const { id } of inputs) expect(await stores.redis.delete(id)).toBe(true);
    expect(await stores.redis.search('tea milk')).toEqual([]);
  });
});
