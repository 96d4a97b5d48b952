export interface FuseOptions {
  /** Damps the lead of the first ranks. Default 60, the value of the paper. */
  readonly k?: number;
}

export interface Fused<Key> {
  readonly key: Key;
  readonly score: number;
}

/**
 * One ranking out of several, each a list of keys, best first: reciprocal rank fusion. A key scores the sum of
 * `1 / (k + rank)` over the lists that hold it, ranks counted from 1. Best first; of equal scores, the key that comes
 * first when the lists are read one after the other. A key that a list repeats counts by its first place.
 *
 * G. Cormack, C. Clarke and S. Büttcher, "Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
 * Methods", SIGIR 2009.
 */
export function fuse<Key>(lists: readonly (readonly Key[])[], options: FuseOptions = {}): Fused<Key>[] {
  const k = options.k ?? 60;
  const scores = new Map<Key, number>();
  for (const list of lists) {
    let rank = 0;
    for (const key of new Set(list)) scores.set(key, (scores.get(key) ?? 0) + 1 / (k + ++rank));
  }
  // Maps keep the order of arrival and sorting is stable: that is the order of ties.
  return Array.from(scores, ([key, score]) => ({ key, score })).sort((a, b) => b.score - a.score);
}
