import type { FoundWord } from '../lexical/matching.ts';
import { poolSize, type RankedHit, rankMatches } from '../ranking/conversation-ranking.ts';
import { type Features, FeatureTable } from '../ranking/feature-table.ts';
import { type Meaning, nearness } from '../ranking/meaning.ts';
import { WEIGHTS } from '../ranking/ranking-weights.ts';
import { MAX_QUERY_LENGTH } from '../text/analyser.ts';

/** The number of best documents by words that a namespace contributes, and of turns around them. */
export const POOL = {
  size: WEIGHTS.pool,
  sizePerHit: WEIGHTS.poolPerHit,
  /** The number of turns before and after each that can affect its score or that of a turn beside it. */
  around: WEIGHTS.steps + WEIGHTS.aroundSteps,
} as const;

/** A match in a namespace. */
export interface TreeMatch extends Features {
  /** The BM25 score, or 0. */
  readonly score: number;
  /** Its words as bits, the first in the lowest bit. Only the first 31 words. */
  readonly held: number;
  /** Its creation number; a higher one is newer. */
  readonly created: number;
  /** Whether it passes the filter. If not, it still adds to its neighbours' scores. */
  readonly passes: boolean;
  /** The cosine of its vector and the query's, if it has a vector. */
  readonly cosine?: number | undefined;
}

/** The matches of all namespaces. */
export interface TreeMatches {
  /** The query's words that any document has, highest worth first, in the order of the bits of `held`. */
  readonly words: readonly FoundWord[];
  /** The best documents by words, the nearest by meaning, and the turns around both. */
  readonly matches: readonly TreeMatch[];
  /** All speakers. */
  readonly speakers: readonly string[];
  /** See `essayShare`. */
  readonly essays: number;
  /** Statistics of the cosines of all vectors with the query's. */
  readonly cosines?: { readonly mean: number; readonly deviation: number } | undefined;
}

export interface TreeRankingOptions {
  readonly limit: number;
  readonly minScore?: number | undefined;
  readonly explain?: boolean | undefined;
  /** The reference time for words such as "yesterday". */
  readonly now: Date;
}

export interface TreeHit extends Omit<RankedHit, 'document'> {
  /** Its index among the matches. */
  readonly match: number;
}

/** Ranks matches of several namespaces like those of one. */
export function rankTree(query: string, treeMatches: TreeMatches, options: TreeRankingOptions): TreeHit[] {
  const { matches, words, speakers, essays } = treeMatches;
  const features = new FeatureTable();
  for (const [document, match] of matches.entries()) features.add(document, match);
  // Which speakers a query names depends on all speakers.
  for (const [place, name] of speakers.entries()) features.speakers.add(matches.length + place, name);
  const lexical = {
    words,
    essays,
    documents: Uint32Array.from(matches.flatMap(({ score }, document) => (score > 0 ? [document] : []))),
    scores: Float64Array.from(matches, ({ score }) => score),
    held: Uint32Array.from(matches, ({ held }) => held),
    created: Float64Array.from(matches, ({ created }) => created),
  };
  const filter = matches.every(({ passes }) => passes)
    ? {}
    : { filter: (document: number) => matches[document]?.passes === true };
  const ranking = { ...options, ...filter, meaning: meaningOf(treeMatches, options.limit, filter.filter) };
  return rankMatches(lexical, features, query.slice(0, MAX_QUERY_LENGTH), ranking).map(({ document, ...hit }) => ({
    match: document,
    ...hit,
  }));
}

function meaningOf(
  { matches, cosines }: TreeMatches,
  limit: number,
  filter?: (document: number) => boolean,
): Meaning | undefined {
  if (cosines === undefined) return undefined;
  const near = matches.map(({ cosine }) => nearness(cosine, cosines.mean, cosines.deviation));
  const nearest = Array.from(near.keys())
    .filter((document) => matches[document]?.cosine !== undefined && filter?.(document) !== false)
    .sort((a, b) => compareCosines(matches[a], matches[b]))
    .slice(0, poolSize(limit));
  return { nearest, nearness: (document) => near[document] as number };
}

/** Nearest first, newest first on ties. */
function compareCosines(a: TreeMatch | undefined, b: TreeMatch | undefined): number {
  return (b?.cosine ?? 0) - (a?.cosine ?? 0) || (b?.created ?? 0) - (a?.created ?? 0);
}
