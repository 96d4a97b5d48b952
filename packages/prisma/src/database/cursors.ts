import { MemoryError } from '@keepsake/core';
import { readCursor } from '@keepsake/core/adapter';

/*
 * A cursor is opaque but not secret, so a caller can make one up. It is refused here if the database could not compare it.
 */

/** The number that a page ended with. */
export function readNumber(cursor: string | undefined, kind: string): number | undefined {
  const [number] = (readCursor(cursor, kind, ['number']) ?? []) as number[];
  return number === undefined || Number.isSafeInteger(number) ? number : refuse();
}

function refuse(): never {
  throw new MemoryError('INVALID_ARGUMENT', '`cursor` is not from a list with these options. Start without a cursor.');
}
