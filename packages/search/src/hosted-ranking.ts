import { MAX_QUERY_LENGTH } from './analyser.ts';
import { type RankedHit, rankMatches } from './conversation-ranking.ts';
import { type Features, FeatureTable } from './features.ts';
import type { FoundWord } from './lexical-index.ts';
import { type Meaning, nearness } from './meaning.ts';
import { WEIGHTS } from './ranking-weights.ts';

/** How many of the best by their words an index elsewhere gives for a search, and what stands around them. */
export const HOSTED_POOL = {
  size: WEIGHTS.pool,
  sizePerHit: WEIGHTS.poolPerHit,
  /** How many of the turns before and after each may lend to it, or to one that is found beside it. */
  around: WEIGHTS.steps + WEIGHTS.aroundSteps,
} as const;

/** A document of an index elsewhere, as it was found. */
export interface HostedMatch extends Features {
  /** BM25: the sum of what its words give; 0 where it has none. */
  readonly score: number;
  /** The words that it has, the first in the lowest bit. Of the words, the first 31 alone. */
  readonly held: number;
  /** When it came; a higher number is newer. */
  readonly born: number;
  /** Whether it may be found. What may not still lends score. */
  readonly passes: boolean;
  /** The cosine of its vector with that of the query, where it has a vector. */
  readonly cosine?: number | undefined;
}

/** What an index elsewhere found. */
export interface HostedMatches {
  /** What was looked for and is there, what is worth most first, as the bits of `held`. */
  readonly words: readonly FoundWord[];
  /** The best by their words, those that are nearest by meaning, and the turns around both. */
  readonly matches: readonly HostedMatch[];
  /** All speakers that there are. */
  readonly speakers: readonly string[];
  /** How much lengths vary: see `lengthNorm`. */
  readonly variety: number;
  /** Of the cosines of all vectors with that of the query. */
  readonly cosines?: { readonly mean: number; readonly deviation: number } | undefined;
}

export interface HostedRankingOptions {
  readonly limit: number;
  readonly minScore?: number;
  readonly explain?: boolean;
  /** What "yesterday" is counted from. */
  readonly now: Date;
}

export interface HostedHit extends Omit<RankedHit, 'document'> {
  /** Its place among the matches. */
  readonly match: number;
}

/** Ranks what an index elsewhere has found just as one in memory is ranked. */
export function rankHosted(query: string, found: HostedMatches, options: HostedRankingOptions): HostedHit[] {
  const { matches, words, speakers, variety } = found;
  const features = new FeatureTable();
  for (const [document, match] of matches.entries()) features.add(document, match);
  // Whom a query calls depends on who else there is.
  for (const [place, name] of speakers.entries()) features.speakers.add(matches.length + place, name);
  const lexical = {
    words,
    variety,
    documents: Uint32Array.from(matches.flatMap(({ score }, document) => (score > 0 ? [document] : []))),
    scores: Float64Array.from(matches, ({ score }) => score),
    held: Uint32Array.from(matches, ({ held }) => held),
    born: Float64Array.from(matches, ({ born }) => born),
  };
  const filter = matches.every(({ passes }) => passes)
    ? {}
    : { filter: (document: number) => matches[document]?.passes === true };
  const ranking = { ...options, ...filter, meaning: meaningOf(found) };
  return rankMatches(lexical, features, query.slice(0, MAX_QUERY_LENGTH), ranking).map(({ document, ...hit }) => ({
    match: document,
    ...hit,
  }));
}

function meaningOf({ matches, cosines }: HostedMatches): Meaning | undefined {
  if (cosines === undefined) return undefined;
  const near = matches.map(({ cosine }) => nearness(cosine, cosines.mean, cosines.deviation));
  return {
    nearness: (document) => near[document] as number,
    nearest: (limit, filter) =>
      Array.from(near.keys())
        .filter((document) => matches[document]?.cosine !== undefined && filter?.(document) !== false)
        .sort((a, b) => compareCosines(matches[a], matches[b]))
        .slice(0, limit),
  };
}

/** The nearest first, and of equal ones the newest. */
function compareCosines(a: HostedMatch | undefined, b: HostedMatch | undefined): number {
  return (b?.cosine ?? 0) - (a?.cosine ?? 0) || (b?.born ?? 0) - (a?.born ?? 0);
}
