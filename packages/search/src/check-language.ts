import { MemoryError } from '@keepsake/core';
import { isLanguage, LANGUAGES } from './language.ts';

/** Throws `INVALID_ARGUMENT` for a language that texts can't be read in. */
export function checkLanguage(language: unknown): void {
  if (language === undefined || isLanguage(language)) return;
  const known = LANGUAGES.map((one) => `'${one}'`).join(', ');
  throw new MemoryError('INVALID_ARGUMENT', `language is to be one of ${known}; leave it out to have it detected.`);
}
