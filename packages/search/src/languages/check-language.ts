import { MemoryError } from '@keepsake/core';
import { isLanguage, LANGUAGES } from './language.ts';

/** Throws `INVALID_ARGUMENT` for an unknown language. */
export function checkLanguage(language: unknown): void {
  if (language === undefined || isLanguage(language)) return;
  const names = LANGUAGES.map((one) => `'${one}'`).join(', ');
  throw new MemoryError('INVALID_ARGUMENT', `language must be one of ${names}; leave it out to have it detected.`);
}
