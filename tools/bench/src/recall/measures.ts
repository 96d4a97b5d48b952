/** The number of best results that count. */
const CUTS = [5, 10, 20] as const;

/** The number of entries that a search requests. */
export const LIMIT = 20;

export const MEASURES = ['R@5', 'R@10', 'R@20', 'MRR'] as const;

export type Measure = (typeof MEASURES)[number];

/** The measures of one search: shares from 0 to 1. */
export type Marks = Readonly<Record<Measure, number>>;

/** The results for one question. */
export interface Marked {
  readonly conversation: string;
  readonly category: string;
  readonly marks: Marks;
}

/**
 * Recall at k: the share of the evidence among the first k. MRR: one divided by the rank of the first evidence; 0 if none is
 * among the first 20.
 */
export function marksOf(found: readonly number[], evidence: readonly number[]): Marks {
  const wanted = new Set(evidence);
  const recallAt = (cut: number) => found.slice(0, cut).filter((place) => wanted.has(place)).length / wanted.size;
  const first = found.slice(0, LIMIT).findIndex((place) => wanted.has(place));
  const [r5, r10, r20] = CUTS.map(recallAt) as [number, number, number];
  return { 'R@5': r5, 'R@10': r10, 'R@20': r20, MRR: first === -1 ? 0 : 1 / (first + 1) };
}
