import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Edits, editsBetween } from '../src/sessions/history-edits.ts';

function applied(before: readonly string[], { replaced, dropped }: Edits): string[] {
  const items: (string | undefined)[] = [...before];
  for (const [index, item] of replaced) items[index] = item;
  for (const index of dropped) items[index] = undefined;
  return items.filter((item) => item !== undefined);
}

it('editsBetween returns edits that turn the longer of any two histories into the other', () => {
  const items = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
  fc.assert(
    fc.property(items, items, (one, other) => {
      const [before, after] = one.length >= other.length ? [one, other] : [other, one];
      expect(applied(before, editsBetween(before, after))).toEqual(after);
    }),
    { numRuns: rounds(2_000) },
  );
});

it('editsBetween returns few edits for few changes', () => {
  const before = Array.from({ length: 1_000 }, (_, index) => `item ${index}`);
  const after = before.with(10, 'new').filter((_, index) => index !== 500 && index !== 501 && index !== 999);
  expect(editsBetween(before, after)).toEqual({ replaced: [[10, 'new']], dropped: [500, 501, 999] });
  expect(editsBetween(before, before)).toEqual({ replaced: [], dropped: [] });
});
