/*
 * Text of JavaScript may hold NUL and halves of surrogate pairs, which a text of PostgreSQL can't. Those, and the two
 * characters that escape them, are written as two; all else stays as it is. Written texts stand in the same order, by code
 * point, as what they say.
 */

const START = '\u0001';
const HALF = '\ud7ff';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are just what is to be escaped
const NEEDS_ESCAPE = /[\0\u0001\ud7ff]|\p{Surrogate}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: and one of them is what escapes
const ESCAPED = /[\u0001\ud7ff](.)/gs;

/** Where halves of surrogate pairs, from U+D800 on, are moved to. */
const MOVED = 0x3400 - 0xd800;

export function toStorable(text: string): string {
  return text.replace(NEEDS_ESCAPE, (character) => {
    const unit = character.charCodeAt(0);
    if (unit <= 1) return START + String.fromCharCode(unit + 1);
    return HALF + (unit === 0xd7ff ? START : String.fromCharCode(unit + MOVED));
  });
}

export function fromStorable(text: string): string {
  return text.replace(ESCAPED, ([mark], kept: string) => {
    const unit = kept.charCodeAt(0);
    if (mark === START) return String.fromCharCode(unit - 1);
    return kept === START ? HALF : String.fromCharCode(unit - MOVED);
  });
}
