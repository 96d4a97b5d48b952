import type { MemoryEntry, RecordInput, SearchOptions } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrismaStore } from '../src/index.ts';
import { type Place, sharedDatabase } from './databases.ts';

const WORDS = [
  ...['apple', 'pie', 'bought', 'guitar', 'mother', 'yesterday', 'Ada', 'Ben', 'lighthouse', 'the', 'May', '2024'],
  ...['Haus', 'gekauft', 'und', 'maison', 'jardin', 'les', 'casa', '茶', '東京', 'ночь', '커피', 'café', "don't", '🍵'],
];
const QUERIES = [
  'When did Ada buy an apple pie?',
  'Which instrument has Ben?',
  'the lighthouse in May 2024',
  'apple apple guitar relatives',
  'Wer hat das Haus gekauft?',
  'les maisons du jardin',
  '東京 茶',
  'ночь',
];
const input = fc.record({
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 14 }),
  asks: fc.boolean(),
  hours: fc.nat({ max: 200 }),
  topic: fc.constantFrom('tea', 'Tea', null),
  isIndexed: fc.constantFrom(true, true, true, false),
  turn: fc.option(
    fc.record(
      {
        thread: fc.constantFrom('a', 'b'),
        index: fc.oneof(fc.nat({ max: 12 }), fc.constantFrom(60, 5_000, 2 ** 40)),
        speaker: fc.constantFrom('Ada', 'Ben', 'Cid Ada', 'Will'),
      },
      { requiredKeys: ['thread', 'index'] },
    ),
    { nil: undefined, freq: 4 },
  ),
});

type Generated = typeof input extends fc.Arbitrary<infer T> ? T : never;

function toRecord(one: Generated, n: number): RecordInput {
  return {
    id: `${n}`,
    content: `${one.words.join(' ')}${one.asks ? '?' : ''}`,
    metadata: { topic: one.topic },
    index: one.isIndexed,
    createdAt: new Date(Date.UTC(2024, 0, 1) + one.hours * 3_600_000).toISOString(),
    ...(one.turn === undefined ? {} : { turn: one.turn }),
  };
}

/** Sums of the same numbers in another order differ in their last digits. */
function comparable(entries: readonly MemoryEntry[]) {
  const rounded = ({ score = 0 }: MemoryEntry) => score.toPrecision(9);
  return entries.map((entry) => `${rounded(entry)} ${entry.id} ${entry.content}`);
}

describe.each<Place>(['PostgreSQL', 'SQLite'])('PrismaStore on %s', (place) => {
  const shared = sharedDatabase(place);

  it('finds what InMemoryStore does, with the same scores, in any language and with any filter', async () => {
    const filters: SearchOptions[] = [
      {},
      { filter: { topic: 'tea' } },
      { filter: { createdAt: { gte: '2024-01-03' } } },
    ];
    let run = 0;
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(input, { minLength: 15, maxLength: 60 }), async (inputs) => {
        const memory = new InMemoryStore({ name: 'memory' });
        const namespace = [`${++run}`];
        const store = new PrismaStore({ prisma: shared.database.prisma, name: 'memory', namespace });
        const records = inputs.map(toRecord);
        for (const one of [memory, store]) {
          await one.putMany(records);
          await one.delete('3');
        }
        for (const [n, query] of QUERIES.entries()) {
          const options = { maxSearchResults: 1_000, ...filters[n % filters.length] };
          const expected = comparable(await memory.search(query, options));
          const entries = comparable(await store.search(query, options));
          // Of the same score, the order is that of their times, which are the same in a batch here.
          expect(entries.toSorted(), query).toEqual(expected.toSorted());
          found += entries.length;
        }
      }),
      { numRuns: 30 },
    );
    expect(found).toBeGreaterThan(1_000);
  });
});
