import { characterStart } from '@keepsake/internal';
import { LIMITS, type ShownText, type TextPiece } from './protocol.ts';

/** A text, cut at a length in UTF-16 units, never within a surrogate pair. */
export function shownText(text: string, maxLength: number = LIMITS.shortText): ShownText {
  const { length } = text;
  if (length <= maxLength) return { text, length, truncated: false };
  return { text: text.slice(0, characterStart(text, maxLength)), length, truncated: true };
}

/** The same of the JSON of a value. */
export function shownJson(value: unknown, maxLength: number = LIMITS.shortText): ShownText {
  return shownText(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2), maxLength);
}

/** A piece of a text from an offset on. */
export function textPiece(text: string, offset: number): TextPiece {
  const start = characterStart(text, Math.min(offset, text.length));
  const end = characterStart(text, Math.min(start + LIMITS.longText, text.length));
  const piece = { text: text.slice(start, end), offset: start, length: text.length };
  return end < text.length ? { ...piece, nextOffset: end } : piece;
}
