import { expect, it, vi } from 'vitest';
import { runEnds } from '../../src/redaction/run-ends.ts';

it('finds where runs end, and reads each run once', () => {
  const run = /[a-z]*/y;
  const read = vi.spyOn(run, 'test');
  const endOf = runEnds('abc-defghi--j', run);
  expect([0, 1, 2].map(endOf)).toEqual([3, 3, 3]);
  expect(read).toHaveBeenCalledTimes(1);
  expect([4, 6, 9].map(endOf)).toEqual([10, 10, 10]);
  expect(read).toHaveBeenCalledTimes(2);
  expect([3, 10, 11, 12, 13].map(endOf)).toEqual([3, 10, 11, 13, 13]);
});
