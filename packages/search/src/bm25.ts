/**
 * BM25: S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", Foundations and
 * Trends in Information Retrieval 3(4), 2009. `k1` and `b` are those that rank short memories best; long documents,
 * for which 1.2 and 0.75 are customary, repeat their words more.
 */
export const BM25 = { k1: 0.9, b: 0.4 } as const;

/**
 * How much a term tells that `matching` of `total` documents hold. The 1 under the logarithm is Lucene's: the formula
 * of the paper turns negative for a term that more than half of the documents hold.
 */
export function idf(total: number, matching: number): number {
  return Math.log(1 + (total - matching + 0.5) / (matching + 0.5));
}

/** Documents that are shorter than this have what they need at hand. */
const SHORT = 256;

/** What a term gives to the documents of an index, as a share of its idf, from 0 to 1. */
export class Saturation {
  readonly #averageLength: number;
  /** By the length of the document: what a term gives that it holds once. Lengths beyond are for {@link Saturation.of}. */
  readonly once: Float64Array;

  constructor(averageLength: number) {
    this.#averageLength = averageLength;
    this.once = Float64Array.from({ length: SHORT }, (_, length) => this.of(1, length));
  }

  /** What a term gives to a document that holds it `frequency` times. */
  of(frequency: number, length: number): number {
    return frequency / (frequency + BM25.k1 * (1 - BM25.b + (BM25.b * length) / this.#averageLength));
  }
}
