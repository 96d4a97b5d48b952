/*
 * JavaScript strings can contain characters that a database or its driver does not return: NUL and lone surrogates, which
 * PostgreSQL cannot store, and U+FEFF, which some decoders drop at the beginning. These, and the characters that escape
 * them, are stored as two characters. Stored texts sort by code point in the same order as the originals.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be escaped
const NEEDS_ESCAPE = /[\0\u0001\ud7ff\ufefe\ufeff]|\p{Surrogate}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: one of them is an escape
const ESCAPED = /([\u0001\ud7ff\ufefe])(.)/gs;

/** The second character is this plus the distance from the lowest character with the same escape. */
const FIRST = 0x3400;

/** The escape of a character, and the lowest character with the same escape. */
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
