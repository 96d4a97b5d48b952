import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromStorable, toStorable } from '../src/database/storable-text.ts';

const CHARACTERS = [
  ...['\0', '\u0001', '\u0002', 'a', 'é', '茶', '\ud7fe', '\ud7ff', '\ud800', '\udbff', '\udc00', '\udfff'],
  ...['\ue000', '\ufefd', '\ufefe', '\ufeff', '\uff00', '\uffff', '💡', '\u{10ffff}', '\u3400', '\u3401'],
];
const text = fc.array(fc.oneof(fc.constantFrom(...CHARACTERS), fc.string())).map((parts) => parts.join(''));

/** By code point: -1, 0 or 1. */
function order(a: string, b: string): number {
  const [one, other] = [Array.from(a), Array.from(b)];
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const difference = (one[index]?.codePointAt(0) ?? -1) - (other[index]?.codePointAt(0) ?? -1);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

describe('Storable text', () => {
  it('contains nothing that a database refuses, and is read back unchanged', () => {
    fc.assert(
      fc.property(text, (one) => {
        const stored = toStorable(one);
        expect(stored.isWellFormed()).toBe(true);
        expect(stored).not.toMatch(/\0|\ufeff/);
        expect(fromStorable(stored)).toBe(one);
      }),
      { numRuns: 2_000 },
    );
  });

  it('sorts in the same order as the original text', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(order(toStorable(one), toStorable(other))).toBe(order(one, other));
      }),
      { numRuns: 5_000 },
    );
  });

  it('is the same as the original for most texts', () => {
    for (const plain of ['', 'Likes tea.', 'Tee – grün', '緑茶', '💡 idea\n\tnext'])
      expect(toStorable(plain)).toBe(plain);
  });
});
