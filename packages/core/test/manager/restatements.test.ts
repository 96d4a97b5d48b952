import { describe, expect, it } from 'vitest';
import type { MemoryEntry } from '../../src/index.ts';
import { Restatements } from '../../src/manager/injection/restatements.ts';
import { DIFFERENT, RESTATED } from './support/statements.ts';

const entriesOf = (contents: readonly string[]): MemoryEntry[] => contents.map((content) => ({ content }));
const kept = (entries: readonly MemoryEntry[]) => new Restatements().leaveOut(entries);
const contentsOf = (entries: readonly MemoryEntry[]) => entries.map(({ content }) => content);
/** Results come in any order. */
const orders = (set: readonly string[]) => [set, set.toReversed(), [...set.slice(1), ...set.slice(0, 1)]];

/** The share of entries that are left out, of those that could be with one entry of each set left. */
function shareLeftOut(sets: readonly (readonly string[])[]): number {
  const lists = sets.flatMap(orders);
  const leftOut = lists.reduce((sum, list) => sum + list.length - kept(entriesOf(list)).length, 0);
  return leftOut / lists.reduce((sum, list) => sum + list.length - 1, 0);
}

describe('restatements', () => {
  it.each([0, 1])('of one fact are left out, and different facts are not, in half %i of the sets', (half) => {
    const halfOf = (sets: readonly (readonly string[])[]) => sets.filter((_, index) => index % 2 === half);
    expect(shareLeftOut(halfOf(RESTATED))).toBeGreaterThanOrEqual(0.9);
    expect(shareLeftOut(halfOf(DIFFERENT))).toBeLessThanOrEqual(0.03);
  });

  it('are not found among facts about different things', () => {
    const all = [...new Set(DIFFERENT.flat())];
    expect(contentsOf(kept(entriesOf(all)))).toEqual(all);
  });

  it('leave the newest of equal statements, in the best place', () => {
    const old = { content: 'Prefers aisle seats.', updatedAt: '2025-01-01T00:00:00.000Z' };
    const other = { content: 'Eats no meat.' };
    const recent = { content: 'User prefers an aisle seat.', updatedAt: '2026-01-01T00:00:00.000Z' };
    expect(kept([old, other, recent])).toEqual([recent, other]);
    expect(kept([recent, other, old])).toEqual([recent, other]);
    // A model has it, so that the text it is in need not change.
    expect(new Restatements().leaveOut([old, recent], 2, (entry) => entry === old)).toEqual([old]);
  });

  it('are looked for until there are enough entries', () => {
    const list = entriesOf([
      'Prefers aisle seats.',
      'Eats no meat.',
      'Has two children.',
      'Has two children, Mia and Ben.',
    ]);
    expect(contentsOf(new Restatements().leaveOut(list, 2))).toEqual(['Prefers aisle seats.', 'Eats no meat.']);
    expect(contentsOf(new Restatements().leaveOut(list, 2, ({ content }) => content === 'Eats no meat.'))).toEqual([
      'Prefers aisle seats.',
      'Eats no meat.',
      'Has two children.',
    ]);
  });

  it('leave the entry that says more, in the best place', () => {
    const more = 'Has two children, Mia and Ben.';
    const list = ['Has two children.', 'Eats no meat.', more];
    expect(contentsOf(kept(entriesOf(list)))).toEqual([more, 'Eats no meat.']);
    expect(contentsOf(kept(entriesOf(list.toReversed())))).toEqual([more, 'Eats no meat.']);
  });

  it('are found by sentence in a longer entry', () => {
    const notes = 'The build runs on Linux. Tests are run with `npm test`. Releases are made by Anna on Mondays.';
    expect(contentsOf(kept(entriesOf([notes, 'Run the tests with `npm test`.', 'Anna is on leave.'])))).toEqual([
      notes,
      'Anna is on leave.',
    ]);
  });

  it.each([
    ['The rent is $1,180.', 'The rent is €1,180.'],
    ['The limit is 5 °C.', 'The limit is -5 °C.'],
    ['The release is on 2026-01-01.', 'The release is on 2026-01-02.'],
    ['The tests passed in 5 of 5 runs.', 'The tests passed in 5 of 6 runs.'],
    ['The meeting is at 9 am.', 'The meeting is at 9 pm.'],
    ['User is allergic to nuts.', "User's daughter is allergic to nuts."],
    ['User likes tennis.', 'User likes skiing, and Joris likes tennis.'],
    ['Noor is vegetarian.', 'Vegetarian.'],
    ['Flights are booked.', 'Flights are to be booked.'],
    ['Ben manages Anna.', 'Anna manages Ben.'],
    ['Is Noor vegetarian?', 'Noor is vegetarian.'],
    ['😀', '😢'],
  ])('are not %s and %s', (one, other) => {
    expect(kept(entriesOf([one, other]))).toHaveLength(2);
    expect(kept(entriesOf([other, one]))).toHaveLength(2);
  });

  it('are not statements of others', () => {
    const content = 'Prefers aisle seats.';
    const restated = 'User prefers an aisle seat.';
    const turn = (speaker: string, index: number) => ({ turn: { thread: 't', index, speaker } });
    const pairs: MemoryEntry[][] = [
      [
        { content, namespace: ['u', 'a'] },
        { content: restated, namespace: ['u', 'b'] },
      ],
      [
        { content, source: { speaker: 'user' } },
        { content: restated, source: { speaker: 'assistant' } },
      ],
      [
        { content: 'I have a dog.', ...turn('Ada', 0) },
        { content: 'I have a dog!', ...turn('Bob', 1) },
      ],
      [
        { content: 'I have a dog.', ...turn('Ada', 0) },
        { content: 'I have my dog.', ...turn('Ada', 1) },
      ],
    ];
    for (const pair of pairs) expect(kept(pair)).toEqual(pair);
    const said = [
      { content: 'I have a dog.', ...turn('Ada', 0) },
      { content: 'I have a dog!', ...turn('Ada', 2) },
    ];
    expect(kept(said)).toEqual(said.slice(0, 1));
  });

  it('compare what is shown of a long entry', () => {
    const excerpt = { text: 'Prefers aisle seats.', start: 0, end: 20 };
    const long = { content: `Prefers aisle seats. ${'It rained. '.repeat(100)}`, excerpt };
    expect(kept([{ content: 'User prefers an aisle seat.' }, long])).toHaveLength(1);
  });

  it('take linear time in the length of an entry, whatever it contains', () => {
    const hostile = [
      'a'.repeat(400),
      "'s".repeat(200),
      '9.'.repeat(200),
      'not '.repeat(100),
      'á'.repeat(200),
      '-'.repeat(400),
    ];
    const entries = Array.from({ length: 100 }, (_, n) => ({ content: `${hostile[n % hostile.length]} ${n}` }));
    const huge = Array.from({ length: 100 }, (_, n) => ({ content: `${n} ${'word '.repeat(100_000)}` }));
    const start = process.cpuUsage();
    expect(kept(entries)).toHaveLength(100);
    expect(kept(huge)).toHaveLength(100);
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  });

  it('are no contradictions, which come before what is older', () => {
    const at = (year: number) => `${year}-01-01T00:00:00.000Z`;
    const shown = [
      { entry: { content: 'User lives in Berlin.', createdAt: at(2024) } },
      { entry: { content: 'User likes opera.', createdAt: at(2023) } },
      { entry: { content: 'User lives in Munich.', createdAt: at(2026) } },
      { entry: { content: 'User lives in Leipzig.', createdAt: at(2025) } },
    ];
    expect(kept(shown.map(({ entry }) => entry))).toHaveLength(4);
    const sorted = new Restatements().newestFirst(shown).map(({ entry }) => entry.content);
    expect(sorted).toEqual([
      'User lives in Munich.',
      'User lives in Leipzig.',
      'User lives in Berlin.',
      'User likes opera.',
    ]);
  });
});
