import { MemoryError } from '@keepsake/core';

/** Throws `INVALID_ARGUMENT` with a message, which says what is to be, unless that is so. */
export function expect(isSo: unknown, message: string): asserts isSo {
  if (!isSo) throw new MemoryError('INVALID_ARGUMENT', message);
}
