import { analyserOf } from './analyser.ts';
import { ANALYSIS_VERSION } from './analysis-version.ts';
import type { Language } from './language.ts';
import type { Word } from './lexicon.ts';
import { calledBy } from './speakers.ts';
import { rankedLength } from './tf-quantizer.ts';
import { utteranceFlags } from './utterance.ts';

/*
 * What an index needs to know of a text that lies elsewhere, in a database, and has no analyser of its own.
 */

/** What a text is found by. */
export interface HostedTerms {
  /** How often the text has each term. A text that has nothing but stop words is found by those. */
  readonly terms: ReadonlyMap<string, number>;
  /** The number of terms that ranking takes it for; stop words don't count. */
  readonly length: number;
  readonly language: Language;
  /** What it does, as bits: 1 ends by asking, 2 speaks of a time, 4 gives a standing instruction. */
  readonly flags: number;
}

/**
 * Names the analysis of a language, or of texts whose language is detected. An index elsewhere is to keep it, and to refuse
 * another: it would not find what stands there. Where the runtime's Unicode tables alone are others, it is the same: many
 * processes share such an index, and not all of them are updated in one moment.
 */
export function hostedAnalysis(language: Language | undefined): string {
  return `${ANALYSIS_VERSION} ${language ?? 'detected'}`;
}

/** Reads what a text is found by. The same text gives the same under one {@link hostedAnalysis} and the same Unicode tables. */
export function hostedTerms(text: string, language: Language | undefined): HostedTerms {
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

/** What a speaker's name is called by in queries. */
export function hostedSpeaker(name: string): readonly string[] {
  return calledBy(name);
}

/** The term that a word is under. Stop words stand apart, because "will" is also the stem of "wills". */
export function hostedTerm({ term, isStopWord }: Word): string {
  return isStopWord ? stopWordKey(term) : term;
}

function stopWordKey(word: string): string {
  return ` ${word}`;
}
