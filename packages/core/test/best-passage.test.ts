import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestPassage } from '../src/adapter.ts';

/** Finds the words of a query in a text, each with weight 1. */
const wordsOf =
  (...query: string[]) =>
  (part: string) =>
    (part.toLowerCase().match(/\w+/g) ?? []).filter((word) => query.includes(word)).map((word) => [word, 1] as const);
const filler = (count: number) => 'Nothing of that kind is said in this sentence. '.repeat(count);

describe('bestPassage', () => {
  it('returns undefined for texts of up to 480 characters', () => {
    expect(bestPassage('tea '.repeat(120), wordsOf('tea'))).toBeUndefined();
    expect(bestPassage('tea '.repeat(121), wordsOf('tea'))).toBeDefined();
  });

  it('returns the sentences with the most query words, wherever they are', () => {
    for (const before of [0, 1, 10, 40]) {
      const text = `${filler(before)}The tea is in the kitchen. It was bought in May. ${filler(20)}`;
      const passage = bestPassage(text, wordsOf('tea', 'may', 'kitchen'));
      expect(passage?.text).toContain('The tea is in the kitchen. It was bought in May.');
      expect(passage?.text.length).toBeLessThanOrEqual(320);
      expect(text.slice(passage?.start, passage?.end)).toBe(passage?.text);
    }
  });

  it('counts each query word once', () => {
    const text = `${'Tea, tea and tea. '.repeat(20)}${filler(10)}Tea from the kitchen. ${filler(10)}`;
    expect(bestPassage(text, wordsOf('tea', 'kitchen'))?.text).toContain('Tea from the kitchen.');
  });

  it('returns the beginning of the text if no sentence matches', () => {
    expect(bestPassage(`First of all. ${filler(20)}`, wordsOf('tea'))?.start).toBe(0);
  });

  it('does not split numbers, file names or quotes', () => {
    const text = `${filler(8)}He said "version 3.14 of main.test.ts is out." Then he left. ${filler(8)}`;
    expect(bestPassage(text, wordsOf('version'))?.text).toContain('"version 3.14 of main.test.ts is out."');
  });

  it('cuts text without sentences at spaces, never inside a surrogate pair', () => {
    const table = '3817 tea 22918 '.repeat(100);
    expect(bestPassage(table, wordsOf('tea'))?.text).toMatch(/^\d+ .*(?:\d+|tea)$/);
    expect(bestPassage('\u{1F600}'.repeat(1_000), wordsOf('tea'))?.text.isWellFormed()).toBe(true);
    expect(bestPassage(`x${'\u{1F600}'.repeat(1_000)}`, wordsOf('tea'))?.text.isWellFormed()).toBe(true);
  });

  it('returns a part of the text of at most 320 characters, for any text', () => {
    const piece = fc.oneof(
      fc.constantFrom('tea', '. ', '?! ', '\n', '。', '...', ' "', ') '),
      fc.string({ maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 100, maxLength: 200 }), (pieces) => {
        const text = pieces.join('');
        const passage = bestPassage(text, wordsOf('tea'));
        if (text.length <= 480) expect(passage).toBeUndefined();
        else expect(text.slice(passage?.start, passage?.end)).toBe(passage?.text);
        expect(passage?.text.length ?? 0).toBeLessThanOrEqual(320);
      }),
    );
  });

  it('accepts long texts of any shape', () => {
    const length = rounds(1_000_000, 250_000);
    for (const unit of ['a', '.', ' ', '\n', 'a. ', '."', '\ud83d']) {
      expect(bestPassage(unit.repeat(length / unit.length), () => [])).toBeDefined();
    }
  });

  it('takes time linear in a text without spaces', () => {
    // If each part searched the whole text before it, this would take longer than a test may.
    expect(bestPassage('a'.repeat(8_000_000), () => [])?.text).toBe('a'.repeat(320));
  });
});
