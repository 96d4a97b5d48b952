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
