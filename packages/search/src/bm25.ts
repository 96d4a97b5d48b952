import { WEIGHTS } from './ranking-weights.ts';
import { FREQUENCY_STEPS, LENGTH_STEPS } from './tf-quantizer.ts';

/** The lengths of all documents that search looks at, in terms. */
export interface LengthStats {
  readonly documents: number;
  readonly total: number;
  /** The sum of their squares. */
  readonly squares: number;
}

/** What ranking takes from the lengths of documents. */
export interface LengthNorm {
  readonly average: number;
  /**
   * How much lengths vary, from 0 (messages that are all alike) to 1 (a chat in which one side writes essays). `k1`, `b`
   * and the weight of what was said around follow it.
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

/** The weight at a variety of lengths, in a straight line from that of talk to that of essays. */
export function between({ talk, essays }: { readonly talk: number; readonly essays: number }, variety: number): number {
  return talk + (essays - talk) * variety;
}

/**
 * How much a term tells that `matching` of `total` documents have: Lucene's idf. That of the paper turns negative for a
 * term that more than half of the documents have.
 */
export function idf(total: number, matching: number): number {
  return Math.log(1 + (total - matching + 0.5) / (matching + 0.5));
}

/**
 * What a term gives to a document, as a share of its idf, by the byte of `quantizedFrequency`: BM25 of S. Robertson and
 * H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", Foundations and Trends in Information Retrieval
 * 3(4), 2009.
 */
export function termShares({ average, k1, b }: LengthNorm): Float64Array {
  const shares = FREQUENCY_STEPS.flatMap((frequency) =>
    LENGTH_STEPS.map((length) => frequency / (frequency + k1 * (1 - b + (b * length) / average))),
  );
  return Float64Array.from(shares);
}
