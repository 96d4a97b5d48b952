import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Arena } from '../src/lexical/arena.ts';

interface Block {
  readonly start: number;
  readonly exponent: number;
  readonly value: number;
}

/** Takes a block and fills it. */
function fill(arena: Arena, exponent: number, value: number): Block {
  const start = arena.take(exponent);
  arena.view(start, 2 ** exponent).fill(value);
  return { start, exponent, value };
}

function expectWhole(arena: Arena, { start, exponent, value }: Block): void {
  const numbers = arena.view(start, 2 ** exponent);
  expect(numbers).toHaveLength(2 ** exponent);
  expect(numbers.every((number) => number === value)).toBe(true);
  expect(arena.get(start, 2 ** exponent - 1)).toBe(value);
}

it('keeps blocks of any size apart, whichever are freed', () => {
  const change = fc.oneof(
    { weight: 4, arbitrary: fc.record({ take: fc.oneof(fc.nat(4), fc.integer({ min: 12, max: 18 })) }) },
    { weight: 1, arbitrary: fc.record({ free: fc.nat(30) }) },
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const arena = new Arena();
      const blocks: Block[] = [];
      for (const [n, one] of changes.entries()) {
        if ('take' in one) blocks.push(fill(arena, one.take, n + 1));
        else for (const { start, exponent } of blocks.splice(one.free, 1)) arena.free(start, exponent);
      }
      for (const block of blocks) expectWhole(arena, block);
    }),
    { numRuns: 50 },
  );
});

it('uses freed blocks again, and the rest of each shared array', () => {
  const arena = new Arena();
  const first = arena.take(3);
  arena.free(first, 3);
  expect(arena.take(3)).toBe(first);
  // Leaves no room for the next one.
  arena.take(15);
  arena.take(15);
  // 65,536 - 8 - 32,768 numbers are left of the first.
  for (let exponent = 3; exponent < 15; exponent++) expect(arena.take(exponent)).toBeLessThan(2 ** 16);
  expect(arena.take(0)).toBeGreaterThan(2 ** 16);
});
