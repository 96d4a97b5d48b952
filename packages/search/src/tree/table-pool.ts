import type { Matches } from '../lexical/matching.ts';
import { type ConversationSearchOptions, candidatesOf } from '../ranking/conversation-ranking.ts';
import type { FeatureTable } from '../ranking/feature-table.ts';
import { POOL, type TreeMatch } from './rank-tree.ts';

export interface TablePoolOptions extends ConversationSearchOptions {
  cosineOf(document: number): number | undefined;
}

/** The documents of an index that may rank among the best, with the turns beside them. */
export function tablePool(
  matches: Matches,
  features: FeatureTable,
  query: string,
  options: TablePoolOptions,
): { readonly documents: readonly number[]; readonly matches: readonly TreeMatch[] } {
  const runs = runsOf(candidatesOf(matches, features, query, options), features);
  const documents: number[] = [];
  const treeMatches: TreeMatch[] = [];
  for (const [run, turns] of runs.entries()) {
    for (const [index, document] of turns.entries()) {
      const { turn, ...otherFeatures } = features.of(document);
      documents.push(document);
      treeMatches.push({
        ...otherFeatures,
        // Ranking sees each run of neighbours as a conversation of its own.
        ...(turn !== undefined && { turn: { ...turn, thread: String(run), index } }),
        score: matches.scores[document] as number,
        held: matches.held[document] as number,
        created: matches.created[document] as number,
        passes: options.filter?.(document, matches.scores[document] as number) ?? true,
        cosine: options.cosineOf(document),
      });
    }
  }
  return { documents, matches: treeMatches };
}

/** The candidates with the turns that affect their scores: runs of neighbours in the order of their conversation. */
function runsOf(candidates: Iterable<number>, { threads }: FeatureTable): number[][] {
  const runs: number[][] = [];
  const wanted = new Map<readonly number[], Set<number>>();
  for (const document of candidates) {
    const thread = threads.around(document);
    if (thread === undefined) {
      runs.push([document]);
      continue;
    }
    const places = wanted.get(thread) ?? new Set();
    wanted.set(thread, places);
    const place = threads.placeOf(document);
    const end = Math.min(thread.length, place + POOL.around + 1);
    for (let at = Math.max(0, place - POOL.around); at < end; at++) places.add(at);
  }
  for (const [thread, places] of wanted) runs.push(...neighbours(thread, places));
  return runs;
}

/** Cuts the wanted positions of a conversation into runs without gaps. */
function neighbours(thread: readonly number[], places: ReadonlySet<number>): number[][] {
  const runs: number[][] = [];
  for (const place of [...places].sort((a, b) => a - b)) {
    if (!places.has(place - 1)) runs.push([]);
    runs.at(-1)?.push(thread[place] as number);
  }
  return runs;
}
