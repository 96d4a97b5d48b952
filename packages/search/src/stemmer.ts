import { newStemmer, type Stemmer } from 'snowball-stemmers';
import type { Language } from './language.ts';

const ALGORITHMS: Record<Exclude<Language, 'none'>, string> = {
  de: 'german',
  en: 'english',
  es: 'spanish',
  fr: 'french',
  it: 'italian',
  nl: 'dutch',
  pt: 'portuguese',
  ru: 'russian',
};

const KEPT: Stemmer = { stem: (word) => word };

/** The Snowball stemmer of a language. It wants lower case, with diacritics. */
export function stemmerOf(language: Language): Stemmer {
  return language === 'none' ? KEPT : newStemmer(ALGORITHMS[language]);
}
