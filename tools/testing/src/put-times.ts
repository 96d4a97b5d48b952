import { expect } from 'vitest';

/** Matches the version of a record that has had so many puts since it was created. What is before the count is random. */
export function putTimes(count: number): unknown {
  return expect.toSatisfy((version: number) => version % 1_000_000 === count, `a version of ${count} puts`);
}
