import { LIMITS } from '@keepsake/core/adapter';
import { expect, it } from 'vitest';
import { splitText } from '../src/runs/run-records.ts';

it('splitText splits a text into pieces within the limit, and never splits a surrogate pair', () => {
  for (const text of [
    '',
    'x',
    '🦩'.repeat(400_000),
    `a${'🦩'.repeat(400_000)}`,
    'ᄀ'.repeat(1_000_000),
    ' '.repeat(700_000),
  ]) {
    const pieces = splitText(text);
    expect(pieces.join('') === text).toBe(true);
    for (const piece of pieces) {
      expect(piece.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(`|${piece}`)).toBeLessThanOrEqual(LIMITS.contentBytes);
    }
  }
});
