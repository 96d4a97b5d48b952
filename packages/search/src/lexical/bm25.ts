import { WEIGHTS } from '../ranking/ranking-weights.ts';
import { FREQUENCY_STEPS, LENGTH_STEPS } from './tf-quantizer.ts';

/** The lengths of all searchable documents, in terms. */
export interface LengthStats {
  readonly documents: number;
  readonly total: number;
  /** The sum of their squares. */
  readonly squares: number;
}

/** The length statistics for ranking. */
export interface LengthNorm {
  readonly average: number;
  /**
   * How much lengths vary, from 0 (similar messages) to 1 (a chat in which one side writes essays). `k1`, `b` and the weight
   * of what was said around follow it.
   */
  readonly variety: number;
  readonly k1: number;
  readonly b: number;
}

/** @see WEIGHTS.variety */
export function lengthNorm({ documents, total, squares }: LengthStats): LengthNorm {
  const average = documents === 0 ? 1 : total / documents;
  const deviation = Math.sqrt(Math.max(0, squares / Math.max(1, documents) - average ** 2));
  const { from, to, prior } = WEIGHTS.variety;
  const variety = Math.min(1, Math.max(0, (deviation / (average + prior) - from) / (to - from)));
  return { average, variety, k1: between(WEIGHTS.k1, variety), b: between(WEIGHTS.b, variety) };
}

/** Interpolates a weight linearly, from talk to essays, by the variety of lengths. */
export function between({ talk, essays }: { readonly talk: number; readonly essays: number }, variety: number): number {
  return talk + (essays - talk) * variety;
}

/**
 * The idf of a term in `matching` of `total` documents, as in Lucene. The paper's idf is negative for a term in more than
 * half of the documents.
 */
export function idf(total: number, matching: number): number {
  return Math.log(1 + (total - matching + 0.5) / (matching + 0.5));
}

/**
 * The score of a term in a document as a share of its idf, by the byte of `quantizedFrequency`: BM25 of S. Robertson and H.
 * Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", Foundations and Trends in Information Retrieval 3(4),
 * 2009.
 */
export function termShares({ average, k1, b }: LengthNorm): Float64Array {
  const shares = FREQUENCY_STEPS.flatMap((frequency) =>
    LENGTH_STEPS.map((length) => frequency / (frequency + k1 * (1 - b + (b * length) / average))),
  );
  return Float64Array.from(shares);
}
