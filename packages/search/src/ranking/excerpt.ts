import type { MemoryEntry } from '@keepsake/core';
import { bestPassage } from '@keepsake/core/adapter';
import type { Language } from '../languages/language.ts';
import type { FoundWord } from '../lexical/matching.ts';
import { synonymsOf } from '../lexical/synonyms.ts';
import { analyserOf } from '../text/analyser.ts';

/** What was looked for. */
export interface Searched {
  readonly words: readonly FoundWord[];
  /** The language of the texts; `undefined` to detect it. */
  readonly language: Language | undefined;
}

/** The best passage of a long text for the words of a query; `undefined` if the text is short enough to show in full. */
export function excerptOf(content: string, { words, language }: Searched): MemoryEntry['excerpt'] {
  let worths: ReadonlyMap<string, number> | undefined;
  return bestPassage(content, (part) => {
    // Most texts are short, and need none.
    worths ??= worthsOf(words);
    const { terms, stopWords } = analyserOf(language).analyse(part);
    return (terms.length > 0 ? terms : stopWords).flatMap((term) => {
      const worth = worths?.get(term);
      return worth === undefined ? [] : [[term, worth] as const];
    });
  });
}

/** The worth of each term: a form counts as much as its word, a category member less. */
function worthsOf(words: readonly FoundWord[]): ReadonlyMap<string, number> {
  const worths = new Map<string, number>();
  const give = (term: string, worth: number) => worths.set(term, Math.max(worth, worths.get(term) ?? 0));
  for (const { forms, worth } of words) {
    for (const form of forms) {
      give(form.term, worth);
      for (const { terms, weight } of synonymsOf(form)) for (const term of terms) give(term, weight * worth);
    }
  }
  return worths;
}
