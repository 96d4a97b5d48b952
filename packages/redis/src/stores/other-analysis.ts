import { MemoryError } from '@keepsake/core';

/**
 * The error for a namespace whose texts were analysed in another way than `own`: searches and removals would not find them.
 * It is `BACKEND`, so that a caller who retries failed writes succeeds once the right program runs.
 */
export function otherAnalysis(indexed: string, own: string): MemoryError {
  return new MemoryError(
    'BACKEND',
    `The texts of this namespace were analysed as "${indexed}" (a version and a language), but this store analyses them as ` +
      `"${own}". Nothing was changed. Use that \`language\` or that version of the package, or read the records with ` +
      'list(), clear() the namespace and put them again.',
  );
}
