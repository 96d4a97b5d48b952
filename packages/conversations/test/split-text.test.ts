import { LIMITS } from '@keepsake/core';
import { expect, it } from 'vitest';
import { splitText } from '../src/summary/split-text.ts';

it('splits a text into pieces that fit, none of which ends within a pair', () => {
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
