import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedEntries } from '../src/records/sorted-entries.ts';

interface Entry {
  readonly number: number;
}

const open = () => new SortedEntries<Entry>(({ number }) => number);
const entriesOf = (numbers: readonly number[]) => numbers.map((number) => ({ number }));
const numbersOf = (entries: Iterable<Entry>) => Array.from(entries, ({ number }) => number);
const rising = (length: number) => Array.from({ length }, (_, n) => n);

it('has its entries by their numbers, after any changes', () => {
  const number = fc.oneof(fc.nat(20_000), fc.integer({ min: 8_000, max: 8_200 }));
  const change = fc.oneof(fc.record({ add: number }), fc.record({ remove: number }), fc.record({ look: number }));
  fc.assert(
    fc.property(fc.nat(20_000), fc.array(change, { maxLength: 200 }), (count, changes) => {
      const sorted = open();
      const model = new Map<number, Entry>();
      const add = (number: number) => {
        if (model.has(number)) return;
        const entry = { number };
        model.set(number, entry);
        sorted.add(entry);
      };
      for (let n = 0; n < count; n++) add(n);
      for (const one of changes) {
        if ('add' in one) add(one.add);
        else if ('remove' in one) {
          const entry = model.get(one.remove);
          if (entry !== undefined) sorted.remove(entry);
          model.delete(one.remove);
        } else {
          const first = (entries: Iterable<Entry>) => numbersOf(entries).slice(0, 3);
          const all = [...model.keys()].sort((a, b) => a - b);
          expect(first(sorted.after(one.look))).toEqual(all.filter((n) => n > one.look).slice(0, 3));
          expect(first(sorted.before(one.look))).toEqual(
            all
              .filter((n) => n < one.look)
              .slice(-3)
              .reverse(),
          );
        }
      }
      expect(numbersOf(sorted)).toEqual([...model.keys()].sort((a, b) => a - b));
      expect(sorted.size).toBe(model.size);
    }),
    { numRuns: rounds(60, 20) },
  );
});

it('has entries that were added in falling order, and can lose all of them', () => {
  const sorted = open();
  const entries = entriesOf(rising(10_000).reverse());
  for (const entry of entries) sorted.add(entry);
  expect(numbersOf(sorted)).toEqual(rising(10_000));
  for (const entry of entries) sorted.remove(entry);
  expect([...sorted, ...sorted.after(5), ...sorted.before(5)]).toEqual([]);
  sorted.add({ number: 1 });
  expect(numbersOf(sorted.before(Infinity))).toEqual([1]);
});

it('keeps apart entries with the same number', () => {
  const sorted = open();
  const entries = entriesOf([1, 2, 2, 2, 3]);
  for (const entry of entries) sorted.add(entry);
  sorted.remove(entries[2] as Entry);
  sorted.remove({ number: 2 });
  expect([...sorted]).toEqual([entries[0], entries[1], entries[3], entries[4]]);
});

describe('goes on from the same number while entries are removed and added', () => {
  it.each([
    ['after', -1, [0, 1, 2, 5_000.5, ...rising(10_000).slice(9_990)]],
    ['before', 10_000, [...rising(10_000).slice(9_990).reverse(), 5_000.5, 0]],
  ] as const)('%s a number', (direction, from, expected) => {
    const sorted = open();
    const entries = entriesOf(rising(10_000));
    for (const entry of entries) sorted.add(entry);
    const seen: number[] = [];
    for (const { number } of sorted[direction](from)) {
      seen.push(number);
      if (seen.length !== 3) continue;
      for (const gone of entries.slice(1, 9_990)) sorted.remove(gone);
      sorted.add({ number: 5_000.5 });
    }
    expect(seen).toEqual(expected);
  });
});
