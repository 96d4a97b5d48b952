import type { MemoryEntry, RecordInput, SearchOptions } from '@keepsake/core';
import fc from 'fast-check';
import { expect } from 'vitest';

/* Records and queries for tests that compare the ranking of a store with that of InMemoryStore. */

const WORDS = [
  ...['apple', 'pie', 'bought', 'guitar', 'mother', 'yesterday', 'Ada', 'Ben', 'lighthouse', 'the', 'May', '2024'],
  ...['Haus', 'gekauft', 'und', 'maison', 'jardin', 'les', 'casa', '茶', '東京', 'ночь', '커피', 'café', "don't", '🍵'],
  ...['live', 'lives', 'recommend', 'user', 'metric', 'list'],
];
const OPENINGS = ['', '', '', 'Always answer in metric units. ', "Please don't ever buy a guitar. ", 'In future: '];
export const QUERIES = [
  'When did Ada buy an apple pie?',
  'Which instrument has Ben?',
  'the lighthouse in May 2024',
  'apple apple guitar relatives',
  'Wer hat das Haus gekauft?',
  'les maisons du jardin',
  '東京 茶',
  'ночь',
  'What did you recommend?',
  'Where does she live now?',
  'Which user likes the lighthouse?',
  'List the guitars in metric units',
];
export const FILTERS: readonly SearchOptions[] = [
  {},
  { filter: { topic: 'tea' } },
  { filter: { createdAt: { gte: '2024-01-03' } } },
];

/** A word, one to ten times. */
const spoken = fc.record({
  word: fc.constantFrom(...WORDS),
  times: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 10 }) }),
  ends: fc.constantFrom(' ', ' ', ' ', '. '),
});
const input = fc.record({
  opening: fc.constantFrom(...OPENINGS),
  // Some are essays, so that lengths vary and excerpts are cut.
  words: fc.oneof(
    { weight: 7, arbitrary: fc.array(spoken, { minLength: 1, maxLength: 14 }) },
    { weight: 1, arbitrary: fc.array(spoken, { minLength: 60, maxLength: 160 }) },
  ),
  asks: fc.boolean(),
  hours: fc.nat({ max: 200 }),
  topic: fc.constantFrom('tea', 'Tea', null),
  isIndexed: fc.constantFrom(true, true, true, false),
  turn: fc.option(
    fc.record(
      {
        thread: fc.constantFrom('a', 'b'),
        index: fc.oneof(fc.nat({ max: 12 }), fc.constantFrom(60, 5_000, 2 ** 40)),
        speaker: fc.constantFrom('Ada', 'Ben', 'Cid Ada', 'Will', 'user', 'user', 'assistant', 'assistant'),
      },
      { requiredKeys: ['thread', 'index'] },
    ),
    { nil: undefined, freq: 4 },
  ),
});
export const conversations = fc.array(input, { minLength: 15, maxLength: 60 });
export const facts = conversations.map((inputs) => inputs.map((one) => ({ ...one, turn: undefined })));

type Generated = typeof input extends fc.Arbitrary<infer T> ? T : never;

export function toRecord(one: Generated, n: number): RecordInput {
  const said = one.words.map(({ word, times, ends }) => `${word} `.repeat(times).trimEnd() + ends).join('');
  return {
    id: `${n}`,
    content: `${one.opening}${said.trim()}${one.asks ? '?' : ''}`,
    metadata: { topic: one.topic },
    index: one.isIndexed,
    createdAt: new Date(Date.UTC(2024, 0, 1) + one.hours * 3_600_000).toISOString(),
    ...(one.turn === undefined ? {} : { turn: one.turn }),
  };
}

/** A long conversation between a user and an assistant. Each turn is about one of many subjects. */
export function longTalk(turns: number): RecordInput[] {
  const subjects = 'tea milk harbour boat paint guitar lighthouse apple garden letter window'.split(' ');
  return Array.from({ length: turns }, (_, n) => {
    const own = (n * 7_919) % 101;
    const about = own < subjects.length ? `${subjects[own]} `.repeat(1 + (n % 3)) : '';
    return {
      id: `${n}`,
      content: `${about}turn${n} ${'filler '.repeat((n * 31) % 23)}${n % 4 === 0 ? '?' : ''}`,
      turn: { thread: 'talk', index: n, speaker: n % 2 === 0 ? 'user' : 'assistant' },
    };
  });
}

const byId = (entries: readonly MemoryEntry[]) => entries.toSorted((a, b) => (`${a.id}` < `${b.id}` ? -1 : 1));

/**
 * Expects the same entries with the same scores, except for the last digits, because sums in another order differ there.
 * Entries with equal scores come newest first, and the records of a batch are equally new.
 */
export function expectSame(entries: readonly MemoryEntry[], expected: readonly MemoryEntry[], query: string): void {
  const comparable = ({ id, content, excerpt }: MemoryEntry) => ({ id, content, excerpt });
  expect(byId(entries).map(comparable), query).toEqual(byId(expected).map(comparable));
  expectScores(entries, expected, 1e-9, query);
}

/** Expects the same scores. A missing entry counts as score 0. `error` is relative to the highest score. */
export function expectScores(
  entries: readonly MemoryEntry[],
  expected: readonly MemoryEntry[],
  error: number,
  query: string,
): void {
  const scores = new Map(entries.map(({ id, score }) => [id, score ?? 0]));
  const wanted = new Map(expected.map(({ id, score }) => [id, score ?? 0]));
  const highest = Math.max(...wanted.values(), 0);
  for (const id of new Set([...scores.keys(), ...wanted.keys()])) {
    const difference = Math.abs((scores.get(id) ?? 0) - (wanted.get(id) ?? 0));
    expect(difference, `${query}: ${id}`).toBeLessThanOrEqual(error * highest);
  }
}
