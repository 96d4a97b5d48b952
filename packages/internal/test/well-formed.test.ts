import { describe, expect, it } from 'vitest';
import { characterStart, wellFormedJson } from '../src/index.ts';

describe('characterStart', () => {
  it('moves a position only out of a surrogate pair', () => {
    const text = 'a\u{1F600}b\ud83d';
    expect([0, 1, 2, 3, 4, 5].map((position) => characterStart(text, position))).toEqual([0, 1, 1, 3, 4, 5]);
    expect(characterStart('\ude00\ud83d\ude00', 1)).toBe(1);
  });
});

describe('wellFormedJson', () => {
  it('replaces lone surrogates in keys and values, and nothing else', () => {
    const value = { 'a\ud83d': ['\ude00x', '\u{1F600}', '\\ud83d', '\\\ud83d', '\u0000\u2028\n"'], n: 1, none: null };
    expect(wellFormedJson(value)).toEqual({
      'a\ufffd': ['\ufffdx', '\u{1F600}', '\\ud83d', '\\\ufffd', '\u0000\u2028\n"'],
      n: 1,
      none: null,
    });
  });
});
