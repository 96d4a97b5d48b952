import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LongList } from '../src/records/long-list.ts';

it('holds what an array holds, at any place', () => {
  const place = fc.oneof(fc.nat(40), fc.integer({ min: 16_370, max: 16_400 }), fc.nat(70_000));
  const change = fc.record({ at: place, set: fc.nat() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const list = new LongList<number>();
      const array: number[] = [];
      for (const { at, set } of changes) {
        list.set(at, set);
        array[at] = set;
      }
      const places = [-1, 0, 16_383, 16_384, 16_385, 70_001, ...Object.keys(array).map(Number)];
      for (const place of places) expect(list.at(place)).toBe(array[place]);
    }),
  );
});
