import type { MemoryEntry } from '../memory-store.ts';

/** How much a rank matters beside the next: the value of the paper that introduced the method. */
const K = 60;

/**
 * One list of several that are each best first, by reciprocal rank fusion: an entry gets 1 / (60 + its rank) from each
 * list that has it, so that lists whose scores don't compare can be put together. Ties keep the order of the lists.
 *
 * Entries of the same content are one, the first of them.
 */
export function reciprocalRankFusion<Entry extends Pick<MemoryEntry, 'content'>>(
  lists: readonly (readonly Entry[])[],
): Entry[] {
  const fused = new Map<string, { readonly entry: Entry; score: number }>();
  for (const list of lists) {
    withoutRepeats(list).forEach((entry, index) => {
      const known = fused.get(entry.content) ?? { entry, score: 0 };
      known.score += 1 / (K + index + 1);
      fused.set(entry.content, known);
    });
  }
  return [...fused.values()].sort((a, b) => b.score - a.score).map(({ entry }) => entry);
}

/** The entries whose content no entry before them has. */
export function withoutRepeats<Entry extends Pick<MemoryEntry, 'content'>>(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>();
  return entries.filter(({ content }) => !seen.has(content) && seen.add(content));
}

/**
 * The entries of one store for several queries as one list, best first: each list counts by its scores as shares of its
 * best, times its weight. A single list stays as it is. Entries without scores count as if each was half as good as the one
 * before.
 */
export function weightedFusion(
  lists: readonly (readonly MemoryEntry[])[],
  weights: readonly { readonly weight: number }[],
): readonly MemoryEntry[] {
  const [first = []] = lists;
  if (lists.length < 2) return first;
  const fused = new Map<string, { readonly entry: MemoryEntry; score: number }>();
  for (const [place, list] of lists.entries()) {
    const best = list[0]?.score ?? 0;
    for (const [index, entry] of list.entries()) {
      const known = fused.get(entry.id ?? entry.content) ?? { entry, score: 0 };
      const share = best > 0 ? (entry.score ?? 0) / best : 0.5 ** index;
      known.score += (weights[place]?.weight ?? 0) * share;
      fused.set(entry.id ?? entry.content, known);
    }
  }
  return [...fused.values()].sort((a, b) => b.score - a.score).map(({ entry, score }) => ({ ...entry, score }));
}
