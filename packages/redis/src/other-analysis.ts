import { MemoryError } from '@keepsake/core';

/**
 * What to throw where the texts of a namespace were analysed by something else than by `own`: under other words they would
 * not be found again, neither by a search nor to be removed. It is `BACKEND`: whoever keeps what could not be written, and
 * tries again, has it saved once the right program runs.
 */
export function otherAnalysis(indexed: string, own: string): MemoryError {
  return new MemoryError(
    'BACKEND',
    `The texts of this namespace were analysed as "${indexed}", and this store does it as "${own}" (a version, and a ` +
      'language). Nothing was changed. Open it with that language or that version of the package; or read its records ' +
      'with list(), clear() it, and put them again.',
  );
}
