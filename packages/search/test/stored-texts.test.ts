import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, joined, parseTexts, readSnapshot, writeSnapshot } from '../src/snapshot/snapshot.ts';
import { inMemory } from '../src/snapshot/stored-bytes.ts';
import { packTexts, StoredTexts } from '../src/snapshot/stored-texts.ts';
import { usable } from './mangle.ts';

/** Texts with what JSON escapes, and with what looks like its own signs. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', '"', ',', '\\', '[', ']', '\n', '\u0000', '\ud800', 'é', '語') }),
);

describe('stored texts', () => {
  it('are found by number, and their numbers by text', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyText, { maxLength: 100 }), anyText, (texts, other) => {
        const stored = inMemory(joined(writeSnapshot('test', packTexts('texts', texts))));
        const read = new StoredTexts(readSnapshot('test', stored), 'texts', texts.length);
        expect(texts.map((_, number) => read.at(number))).toEqual(texts);
        expect(texts.map((text) => read.find(text))).toEqual([...texts.keys()]);
        expect(read.find(other)).toBe(texts.includes(other) ? texts.indexOf(other) : undefined);
      }),
    );
  });
});

describe('a list of texts in JSON', () => {
  it('is read as JSON is', () => {
    fc.assert(
      fc.property(fc.array(anyText), (texts) => {
        expect(parseTexts(encode(JSON.stringify(texts)))).toEqual(texts);
      }),
    );
  });

  it.each(['', '"a"', '{}', '[1]', '["a",1]', '["a"', 'a"]', '["\\"]'])('is refused: %s', (json) => {
    expect(usable(() => parseTexts(encode(json)))).toBeUndefined();
  });

  it('is refused if it is not UTF-8', () => {
    expect(usable(() => parseTexts(Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d)))).toBeUndefined();
  });
});
