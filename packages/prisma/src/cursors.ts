import { MemoryError, readCursor } from '@keepsake/core';

/*
 * Cursors are opaque, but not secret: who makes one up is told so, and not the database asked for what it can't look for.
 */

/** Where a page ended that ends with a number. */
export function readPlace(cursor: string | undefined, kind: string): number | undefined {
  const [place] = (readCursor(cursor, kind, ['number']) ?? []) as number[];
  return place === undefined || Number.isSafeInteger(place) ? place : refuse();
}

/** Where a page ended that ends with texts of the database. */
export function readTexts(cursor: string | undefined, kind: string): readonly [string, string] | undefined {
  const texts = readCursor(cursor, kind, ['string', 'string']) as [string, string] | undefined;
  return texts?.every((text) => text.isWellFormed() && !text.includes('\0')) === false ? refuse() : texts;
}

function refuse(): never {
  throw new MemoryError('INVALID_ARGUMENT', 'This cursor was not made by a list of these options. Start without one.');
}
