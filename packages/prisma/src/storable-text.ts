/*
 * Text of JavaScript may hold what a database or its driver does not give back: NUL and halves of surrogate pairs, which a
 * text of PostgreSQL can't hold, and U+FEFF, which some decoders drop at a beginning. Those, and the characters that escape
 * them, are written as two; all else stays as it is. Written texts stand in the same order, by code point, as what they say.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are just what is to be escaped
const NEEDS_ESCAPE = /[\0\u0001\ud7ff\ufefe\ufeff]|\p{Surrogate}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: and one of them is what escapes
const ESCAPED = /([\u0001\ud7ff\ufefe])(.)/gs;

/** What comes after an escape: how far the character is above the lowest of those that have it. */
const FIRST = 0x3400;

/** The escape of a character, and the lowest that has the same. */
function escapeOf(unit: number): readonly [escape: number, lowest: number] {
  if (unit <= 1) return [1, 0];
  return unit >= 0xfefe ? [0xfefe, 0xfefe] : [0xd7ff, 0xd7ff];
}

export function toStorable(text: string): string {
  return text.replace(NEEDS_ESCAPE, (character) => {
    const unit = character.charCodeAt(0);
    const [mark, lowest] = escapeOf(unit);
    return String.fromCharCode(mark, FIRST + unit - lowest);
  });
}

export function fromStorable(text: string): string {
  return text.replace(ESCAPED, (_, mark: string, above: string) => {
    const [, lowest] = escapeOf(mark.charCodeAt(0));
    return String.fromCharCode(lowest + above.charCodeAt(0) - FIRST);
  });
}
