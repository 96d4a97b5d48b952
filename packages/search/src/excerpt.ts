import { bestPassage, type Excerpt } from '@keepsake/core';
import { analyserOf } from './analyser.ts';
import { readKind } from './kinds.ts';
import type { Language } from './language.ts';
import type { FoundWord } from './lexical-index.ts';

/** What was looked for. */
export interface Searched {
  readonly words: readonly FoundWord[];
  /** The language that texts are analysed as; `undefined` where it is detected. */
  readonly language: Language | undefined;
}

/** The best passage of a long text for the words of a query; `undefined` for a text that is short enough to be shown whole. */
export function excerptOf(content: string, { words, language }: Searched): Excerpt | undefined {
  const worths = worthsOf(words);
  return bestPassage(content, (part) => {
    const { terms, stopWords } = analyserOf(language).analyse(part);
    return (terms.length > 0 ? terms : stopWords).flatMap((term) => {
      const worth = worths.get(term);
      return worth === undefined ? [] : [[term, worth] as const];
    });
  });
}

/**
 * The same for a ranking of another kind, that knows no worths: each word of the query counts alike.
 *
 * @returns What to ask of each entry that is found.
 */
export function excerptsFor(query: string, language?: Language): (content: string) => Excerpt | undefined {
  const words = analyserOf(language).analyseQuery(query, []);
  const searched = { words: words.map(({ forms, weight }) => ({ forms, worth: weight })), language };
  return (content) => excerptOf(content, searched);
}

/** What each term is worth: those of a word as much as the word, those of its kind less. */
function worthsOf(words: readonly FoundWord[]): ReadonlyMap<string, number> {
  const worths = new Map<string, number>();
  const give = (term: string, worth: number) => worths.set(term, Math.max(worth, worths.get(term) ?? 0));
  for (const { forms, worth } of words) {
    for (const form of forms) {
      give(form.term, worth);
      for (const { terms, weight } of readKind(form)) for (const term of terms) give(term, weight * worth);
    }
  }
  return worths;
}
