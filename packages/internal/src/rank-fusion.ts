export interface FuseOptions {
  /**
   * How much the first ranks count more than the others: the smaller, the more.
   *
   * @default 60, the value of the paper
   */
  readonly k?: number | undefined;
}

export interface Fused<Key> {
  readonly key: Key;
  readonly score: number;
}

/**
 * Merges rankings by reciprocal rank fusion. Each ranking is a list of keys, best first. A key scores the sum of
 * `1 / (k + rank)` over the lists that contain it; ranks start at 1. Best first; ties keep the order of the lists. A key
 * that a list repeats counts by its first place.
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
  // Maps keep insertion order and sorting is stable, so ties keep the order of the lists.
  return Array.from(scores, ([key, score]) => ({ key, score })).sort((a, b) => b.score - a.score);
}

/**
 * Merges lists of entries by reciprocal rank fusion, for lists whose scores cannot be compared. Each list is best first, and
 * so is the result; ties keep the order of the lists. Of entries with the same content, the result has the first.
 */
export function reciprocalRankFusion<Entry extends { readonly content: string }>(
  lists: readonly (readonly Entry[])[],
): Entry[] {
  const firsts = new Map(withoutRepeats(lists.flat()).map((entry) => [entry.content, entry]));
  const ranked = fuse(lists.map((list) => list.map(({ content }) => content)));
  return ranked.map(({ key }) => firsts.get(key) as Entry);
}

/** Entries without later duplicates of the same content. */
export function withoutRepeats<Entry extends { readonly content: string }>(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>();
  return entries.filter(({ content }) => !seen.has(content) && seen.add(content));
}
