import { mutateJson } from '@keepsake/testing/fuzz/json';
import { Random } from '@keepsake/testing/fuzz/random';
import { expect, it } from 'vitest';

it('mutateJson nests no value so deeply that a copy of it overflows the stack', () => {
  const random = new Random(1);
  let value: unknown = 'deep';
  for (let level = 0; level < 1000; level++) value = [value];
  const depths = Array.from({ length: 500 }, () => depthOf(mutateJson(random, value, [value])));
  expect(Math.max(...depths)).toBeGreaterThan(1000);
  expect(Math.max(...depths)).toBeLessThan(1300);
});

function depthOf(value: unknown): number {
  let deepest = 0;
  const pending: [value: unknown, depth: number][] = [[value, 0]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [parent, depth] = next;
    deepest = Math.max(deepest, depth);
    if (typeof parent !== 'object' || parent === null) continue;
    for (const child of Object.values(parent)) pending.push([child, depth + 1]);
  }
  return deepest;
}
