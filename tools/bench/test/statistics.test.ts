import { expect, it } from 'vitest';
import { median, spread } from '../src/statistics.ts';

it('median returns the middle of an odd number of values in any order', () => {
  expect(median([9, 1, 2])).toBe(2);
});

it('median returns the mean of the two middle values of an even number', () => {
  expect(median([4, 1, 2, 100])).toBe(3);
});

it('median rejects an empty list', () => {
  expect(() => median([])).toThrow(RangeError);
});

it('spread returns half the interquartile range, relative to the median', () => {
  expect(spread([10, 10, 10])).toBe(0);
  expect(spread([8, 9, 10, 11, 12])).toBeCloseTo(0.1);
});
