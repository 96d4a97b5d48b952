import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fuse } from '../src/index.ts';

it('adds 1 / (60 + rank) over the lists', () => {
  expect(
    fuse([
      ['a', 'b', 'c'],
      ['b', 'd'],
    ]),
  ).toEqual([
    { key: 'b', score: 1 / 62 + 1 / 61 },
    { key: 'a', score: 1 / 61 },
    { key: 'd', score: 1 / 62 },
    { key: 'c', score: 1 / 63 },
  ]);
});

it('gives the first ranks more weight if k is smaller', () => {
  const lists = [
    ['a', 'b'],
    ['c', 'b'],
    ['d', 'b'],
  ];
  expect(fuse(lists)[0]?.key).toBe('b');
  expect(fuse(lists, { k: 0 })).toEqual([
    { key: 'b', score: 1.5 },
    { key: 'a', score: 1 },
    { key: 'c', score: 1 },
    { key: 'd', score: 1 },
  ]);
});

it('keeps ties in the order of the lists, and ranks a repeated key by its first position', () => {
  expect(
    fuse([
      ['a', 'b'],
      ['b', 'a'],
    ]).map((hit) => hit.key),
  ).toEqual(['a', 'b']);
  expect(
    fuse([
      ['b', 'a'],
      ['a', 'b'],
    ]).map((hit) => hit.key),
  ).toEqual(['b', 'a']);
  expect(fuse([['a', 'a', 'b']])).toEqual(fuse([['a', 'b']]));
  expect(fuse([])).toEqual([]);
  expect(fuse([[], [1]])).toEqual([{ key: 1, score: 1 / 61 }]);
});

it('returns every key once, best first, and keeps the order of a single list', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(30))), (lists) => {
      const fused = fuse(lists);
      expect(fused.map((hit) => hit.key).toSorted()).toEqual([...new Set(lists.flat())].toSorted());
      expect(fused.map((hit) => hit.score)).toEqual(fused.map((hit) => hit.score).toSorted((a, b) => b - a));
      for (const list of lists) expect(fuse([list, list]).map((hit) => hit.key)).toEqual([...new Set(list)]);
    }),
  );
});
