import type { ScoreExplanation } from '@keepsake/core';
import { fuse } from './fuse.ts';

export interface FusedHit {
  /** What stands for a document: a higher number is newer. */
  readonly key: number;
  readonly score: number;
  readonly explanation?: ScoreExplanation;
}

/**
 * How many hits each list is to have, so that none is missed among so many: what stands lower in both has no chance, as
 * 2 / (60 + rank) is less than 1 / (60 + limit) then.
 */
export function fusionDepth(limit: number): number {
  return 2 * limit + 100;
}

/** What was found by words and by meaning, each best first, as one list; of equal ones the newest first. */
export function fuseHosted(
  words: readonly number[],
  meaning: readonly number[],
  { limit, minScore, explain }: { readonly limit: number; readonly minScore: number; readonly explain: boolean },
): FusedHit[] {
  return fuse([words, meaning])
    .sort((a, b) => b.score - a.score || b.key - a.key)
    .slice(0, limit)
    .filter(({ score }) => score >= minScore)
    .map(({ key, score }) => ({ key, score, ...(explain ? { explanation: sharesOf(words, meaning, key) } : {}) }));
}

/** What each list gives to a document. */
function sharesOf(words: readonly number[], meaning: readonly number[], key: number): ScoreExplanation {
  const share = (list: readonly number[]) => fuse([list]).find((one) => one.key === key)?.score ?? 0;
  return { sum: { words: share(words), meaning: share(meaning) }, factors: {} };
}
