import { expect } from 'vitest';

/** Matches the version of a record that has been put `count` times since it was created. The digits before the count are random. */
export function putTimes(count: number): unknown {
  return expect.toSatisfy((version: number) => version % 1_000_000 === count, `a version of ${count} puts`);
}
