import { analyserOf, MAX_QUERY_LENGTH } from './analyser.ts';
import { hostedTerm } from './hosted-terms.ts';
import { readKind } from './kinds.ts';
import type { Language, LatinLanguage } from './language.ts';
import type { TermGroup } from './lexical-index.ts';
import type { Word } from './lexicon.ts';

/** A word that an index elsewhere is to look for. */
export interface HostedWord {
  readonly forms: readonly Word[];
  /** The terms of its forms, which are one: a document that has several has the word so many times. */
  readonly terms: readonly string[];
  /** How often the query has it, less for words that frame a request. */
  readonly weight: number;
  /** What else is looked for where the word is: each term by itself, all worth the same. */
  readonly related: readonly TermGroup[];
}

/** The words of a query to documents of these languages, the most frequent first. */
export function hostedQuery(
  query: string,
  held: readonly LatinLanguage[],
  language: Language | undefined,
): HostedWord[] {
  const words = analyserOf(language).analyseQuery(query.slice(0, MAX_QUERY_LENGTH), held);
  return words.map(({ forms, weight, isRelatable }) => ({
    forms,
    terms: forms.map(hostedTerm),
    weight,
    related: isRelatable ? forms.flatMap((form) => [...readKind(form)]) : [],
  }));
}
