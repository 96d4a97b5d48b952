import type { Language } from '../languages/language.ts';
import { rankedLength } from '../lexical/tf-quantizer.ts';
import { analyserOf } from '../text/analyser.ts';
import type { Word } from '../text/lexicon.ts';
import { utteranceFlags } from '../text/utterance.ts';

/* The analysis of texts for an index in a database that has no analyser of its own. */

/** The terms and features of a text. */
interface RemoteTerms {
  /** The frequency of each term. A text with only stop words is found by them. */
  readonly terms: ReadonlyMap<string, number>;
  /** The number of terms for ranking, without stop words. */
  readonly length: number;
  readonly language: Language;
  /** Features as bits: 1 ends with a question, 2 mentions a time, 4 is a standing instruction. */
  readonly flags: number;
}

/** Analyses a text. */
export function remoteTerms(text: string, language: Language | undefined): RemoteTerms {
  const analysis = analyserOf(language).analyse(text);
  const words = analysis.terms.length > 0 ? analysis.terms : analysis.stopWords.map(stopWordKey);
  const terms = new Map<string, number>();
  for (const word of words) terms.set(word, (terms.get(word) ?? 0) + 1);
  return {
    terms,
    length: rankedLength(analysis.terms.length),
    language: analysis.language,
    flags: utteranceFlags(text),
  };
}

/** The term of a word. Stop words are kept apart, because "will" is also the stem of "wills". */
export function remoteTerm({ term, isStopWord }: Word): string {
  return isStopWord ? stopWordKey(term) : term;
}

function stopWordKey(word: string): string {
  return ` ${word}`;
}
