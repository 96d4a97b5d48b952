import { expect, it } from 'vitest';
import { median, spread } from '../src/statistics.ts';

it('takes the middle of an odd number of values, in whatever order', () => {
  expect(median([9, 1, 2])).toBe(2);
});

it('takes what lies between the two middle ones of an even number', () => {
  expect(median([4, 1, 2, 100])).toBe(3);
});

it('refuses to make a figure of nothing', () => {
  expect(() => median([])).toThrow(RangeError);
});

it('tells the spread of the middle half as a part of the median', () => {
  expect(spread([10, 10, 10])).toBe(0);
  expect(spread([8, 9, 10, 11, 12])).toBeCloseTo(0.1);
});
