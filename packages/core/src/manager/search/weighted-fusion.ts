import type { MemoryEntry } from '../../store/memory-store.ts';

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
      const fusedEntry = fused.get(entry.id ?? entry.content) ?? { entry, score: 0 };
      const share = best > 0 ? (entry.score ?? 0) / best : 0.5 ** index;
      fusedEntry.score += (weights[place]?.weight ?? 0) * share;
      fused.set(entry.id ?? entry.content, fusedEntry);
    }
  }
  return [...fused.values()].sort((a, b) => b.score - a.score).map(({ entry, score }) => ({ ...entry, score }));
}
