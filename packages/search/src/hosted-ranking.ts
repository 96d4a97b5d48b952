import type { ScoreExplanation, Turn } from '@keepsake/core';
import { MAX_QUERY_LENGTH } from './analyser.ts';
import { rankMatches } from './conversation-ranking.ts';
import type { Word } from './lexicon.ts';
import { WEIGHTS } from './ranking-weights.ts';
import { Turns } from './turns.ts';

/** How many of the best by their words an index elsewhere is to give for a search, and what stands around them. */
export const HOSTED_POOL = {
  size: WEIGHTS.pool,
  sizePerHit: WEIGHTS.poolPerHit,
  /** Of the turns before and after each, so many may lend to it, or to one that is found beside it. */
  around: WEIGHTS.steps + WEIGHTS.aroundSteps,
} as const;

/** A document of an index elsewhere, as its words have found it. */
export interface HostedMatch {
  /** BM25: the sum of what its words give; 0 where it holds none. */
  readonly score: number;
  /** Which words it holds, the first in the lowest bit. Of the words, the first 31 alone. */
  readonly held: number;
  /** When it came; a higher number is newer. */
  readonly born: number;
  /** Whether it may be found. What may not still lends score. */
  readonly passes: boolean;
  readonly turn?: Turn & {
    /** When it was said, in milliseconds since 1970. */
    readonly time: number;
    readonly asks: boolean;
    readonly speaksOfTime: boolean;
  };
}

/** What was looked for: the forms of a word and what it is worth; what is worth most first, as the bits of `held`. */
export interface HostedWorth {
  readonly forms: readonly Word[];
  readonly worth: number;
}

export interface HostedRankingOptions {
  readonly limit: number;
  readonly minScore?: number;
  readonly explain?: boolean;
  /** What "yesterday" is counted from. */
  readonly now: Date;
}

export interface HostedHit {
  /** Its place among the matches. */
  readonly match: number;
  readonly score: number;
  readonly explanation?: ScoreExplanation;
}

/**
 * Ranks what an index elsewhere has found just as one in memory is ranked. The matches are the best by their words, with
 * the turns around them; `speakers` are all that there are.
 */
export function rankHosted(
  query: string,
  words: readonly HostedWorth[],
  matches: readonly HostedMatch[],
  speakers: readonly string[],
  options: HostedRankingOptions,
): HostedHit[] {
  const turns = new Turns();
  for (const [document, { turn }] of matches.entries()) {
    if (turn !== undefined) turns.add(document, { turn, ...turn });
  }
  // Whom a query calls depends on who else there is.
  for (const [place, name] of speakers.entries()) turns.speakers.add(matches.length + place, name);
  const found = {
    words,
    documents: Uint32Array.from(matches.flatMap(({ score }, document) => (score > 0 ? [document] : []))),
    scores: Float64Array.from(matches, ({ score }) => score),
    held: Uint32Array.from(matches, ({ held }) => held),
    born: Float64Array.from(matches, ({ born }) => born),
  };
  const filter = matches.every(({ passes }) => passes)
    ? {}
    : { filter: (document: number) => matches[document]?.passes === true };
  const read = query.slice(0, MAX_QUERY_LENGTH);
  return rankMatches(found, turns, read, { ...options, ...filter }).map(({ document, ...hit }) => ({
    match: document,
    ...hit,
  }));
}
