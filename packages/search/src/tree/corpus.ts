import { DETECTED_LANGUAGES, type DetectedLanguage } from '../languages/language.ts';
import { calledBy } from '../ranking/speakers.ts';
import type { Corpus } from './search-place.ts';

/** The languages of the documents, most frequent first. */
export function languagesOf({ languages }: Pick<Corpus, 'languages'>): DetectedLanguage[] {
  const count = (language: DetectedLanguage) => languages.get(language) ?? 0;
  return DETECTED_LANGUAGES.filter((language) => count(language) > 0).sort((a, b) => count(b) - count(a));
}

/** How many documents are by speakers with a term in their name. */
export function documentsByName({ speakers }: Pick<Corpus, 'speakers'>): ReadonlyMap<string, number> {
  const named = new Map<string, number>();
  for (const [speaker, documents] of speakers) {
    for (const term of calledBy(speaker)) named.set(term, (named.get(term) ?? 0) + documents);
  }
  return named;
}
