import { WEIGHTS } from '../ranking/ranking-weights.ts';
import { FREQUENCY_STEPS, LENGTH_STEPS } from './tf-quantizer.ts';

/** The lengths of all searchable documents. */
export interface LengthStats {
  readonly documents: number;
  /** The number of those that are essays. */
  readonly essays: number;
}

/** How much documents are a chat with essays: from 0 (messages, facts and notes) to 1. */
export function essayShare({ documents, essays }: LengthStats): number {
  const { prior, from, to } = WEIGHTS.essays;
  return Math.min(1, Math.max(0, (essays / (documents + prior) - from) / (to - from)));
}

/** Whether a text with this number of terms is an essay. */
export function isEssay(length: number): boolean {
  return length > WEIGHTS.essays.length;
}

/** Interpolates a weight linearly, from talk to essays. */
export function between({ talk, essays }: { readonly talk: number; readonly essays: number }, share: number): number {
  return talk + (essays - talk) * share;
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
 * 2009. But lengths are not relative to their average: what a word tells of a text depends on that text, not on the others.
 */
export const TERM_SHARES = /* @__PURE__ */ Float64Array.from(/* @__PURE__ */ termShares());

/** Computes them from the current weights, which benchmarks change. */
export function termShares(): number[] {
  return FREQUENCY_STEPS.flatMap((frequency) =>
    LENGTH_STEPS.map((length) => frequency / (frequency + WEIGHTS.saturation + WEIGHTS.length * length)),
  );
}
