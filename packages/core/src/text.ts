import { MemoryError } from './errors.ts';

/** Says why `text` can't be an id or a segment (empty, over `maxLength`, NUL, a lone surrogate), or nothing. */
export function unusableText(text: string, maxLength: number): string | undefined {
  if (text === '') return 'is empty';
  if (text.length > maxLength) return `is longer than ${maxLength} characters`;
  if (text.includes('\0')) return 'holds a NUL character';
  if (!text.isWellFormed()) return 'holds a lone surrogate, which is not valid Unicode';
  return undefined;
}

/** Ids of sessions and records: 1 to 512 characters (UTF-16 code units), no NUL, no lone surrogates. */
export const MAX_ID_LENGTH = 512;

/** Throws `INVALID_ARGUMENT` where `id` can't be an id; `what` names it, such as `sessionId`. */
export function checkId(id: unknown, what: string): asserts id is string {
  const problem = typeof id === 'string' ? unusableText(id, MAX_ID_LENGTH) : 'is not a string';
  if (problem !== undefined) throw new MemoryError('INVALID_ARGUMENT', `${what} ${problem}.`);
}

/** A text for an error message: in quotes, its control characters escaped, cut at 80 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
