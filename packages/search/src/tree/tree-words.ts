import type { DetectedLanguage, Language } from '../languages/language.ts';
import type { TermGroup } from '../lexical/lexical-index.ts';
import { synonymsOf } from '../lexical/synonyms.ts';
import { analyserOf, MAX_QUERY_LENGTH } from '../text/analyser.ts';
import type { Word } from '../text/lexicon.ts';

/** A word of the query. */
export interface TreeWord {
  readonly forms: readonly Word[];
  /** Its frequency in the query, reduced for words that frame a request. */
  readonly weight: number;
  /** Related terms. Each counts on its own, with the same weight. */
  readonly related: readonly TermGroup[];
  /** Whether to search for similar words, too. */
  readonly isRelatable: boolean;
  /** The minimum number of documents to assume. @default That of speakers with its name. */
  readonly atLeast?: number;
}

/** The words of a query for documents in these languages, most frequent language first. */
export function treeWords(
  query: string,
  held: readonly DetectedLanguage[],
  language: Language | undefined,
): TreeWord[] {
  const words = analyserOf(language).analyseQuery(query.slice(0, MAX_QUERY_LENGTH), held);
  return words.map(({ forms, weight, isRelatable }) => ({
    ...{ forms, weight, isRelatable },
    related: isRelatable ? forms.flatMap((form) => [...synonymsOf(form)]) : [],
  }));
}
