import { MemoryError } from '@keepsake/core';

/** Throws `INVALID_ARGUMENT` with a message, which says what is to be, unless that is so. */
export function expect(isSo: unknown, message: string): asserts isSo {
  if (!isSo) throw new MemoryError('INVALID_ARGUMENT', message);
}

/** A text for an error message: in quotes, its control characters escaped, cut at 80 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
