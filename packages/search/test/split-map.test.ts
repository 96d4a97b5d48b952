import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SplitMap } from '../src/records/split-map.ts';

it('has what a Map has, after any changes', () => {
  const keys = fc.nat(40).map((n) => `key ${n}`);
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.record({ set: keys, value: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ delete: keys }) },
  );
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      // Many more, so that there are many parts.
      const map = filled(20_000);
      const expected = new Map<string, number>(Array.from({ length: 20_000 }, (_, n) => [`record-${n}`, n]));
      for (const one of changes) {
        if ('set' in one) {
          map.set(one.set, one.value);
          expected.set(one.set, one.value);
        } else expect(map.delete(one.delete)).toBe(expected.delete(one.delete));
      }
      expect(map.size).toBe(expected.size);
      for (const [key, value] of expected) if (map.get(key) !== value) expect(map.get(key)).toBe(value);
      expect(map.has('another')).toBe(false);
    }),
    { numRuns: 5 },
  );
});

it('keeps keys apart that have much in common', () => {
  const map = new SplitMap<string>();
  const keys = Array.from({ length: 30_000 }, (_, n) => `${'0'.repeat(20)}${n.toString(2).padStart(15, '0')}`);
  for (const key of keys) map.set(key, key);
  for (const key of keys) map.set(key, key);
  expect(map.size).toBe(keys.length);
  expect(keys.every((key) => map.get(key) === key)).toBe(true);
  for (const key of keys) map.delete(key);
  expect(map.size).toBe(0);
  expect(keys.some((key) => map.has(key))).toBe(false);
});

function filled(count: number): SplitMap<number> {
  const map = new SplitMap<number>();
  for (let n = 0; n < count; n++) map.set(`record-${n}`, n);
  return map;
}
