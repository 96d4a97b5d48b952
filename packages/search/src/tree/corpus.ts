import { LATIN_LANGUAGES, type LatinLanguage } from '../languages/language.ts';
import { calledBy } from '../ranking/speakers.ts';
import type { Corpus } from './search-place.ts';

/** Names of more speakers than this no longer help ranking, which then knows only the user and the assistant. */
export const MAX_SPEAKERS = 200;

/** The languages of the documents, most frequent first. */
export function languagesOf({ languages }: Pick<Corpus, 'languages'>): LatinLanguage[] {
  const count = (language: LatinLanguage) => languages.get(language) ?? 0;
  return LATIN_LANGUAGES.filter((language) => count(language) > 0).sort((a, b) => count(b) - count(a));
}

/** The speakers that ranking knows. */
export function speakersOf({ speakers }: Pick<Corpus, 'speakers'>): readonly string[] {
  return speakers.size > MAX_SPEAKERS ? ['user', 'assistant'] : [...speakers.keys()];
}

/** How many documents are by speakers with a term in their name. */
export function documentsByName({ speakers }: Pick<Corpus, 'speakers'>): ReadonlyMap<string, number> {
  const named = new Map<string, number>();
  for (const speaker of speakersOf({ speakers })) {
    const documents = speakers.get(speaker) ?? 0;
    for (const term of calledBy(speaker)) named.set(term, (named.get(term) ?? 0) + documents);
  }
  return named;
}
