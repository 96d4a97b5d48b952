import type { VectorComparison } from '../vectors/comparison.ts';

/** How near documents are to a query by their vectors. */
export interface Meaning {
  /** 0 without a vector, close to 0 if no nearer than the average, 1 if unusually near. */
  nearness(document: number): number;
  /** The nearest documents, or the nearest of those that pass the filter. */
  readonly nearest: readonly number[];
}

/** A cosine this many standard deviations above the mean is unusually near. */
const NEAR = 3;
/** Below the mean, nearness still counts a little, so that the order is defined. */
const LITTLE = 0.01;

/**
 * Cosines are comparable only within one query, so what counts is how many standard deviations one is above the mean of all.
 * An embedder that finds everything similar adds little, whatever its cosines are.
 */
export function nearness(cosine: number | undefined, mean: number, deviation: number): number {
  if (cosine === undefined) return 0;
  const above = deviation === 0 ? 0 : (cosine - mean) / deviation;
  return above > 0 ? LITTLE + above / NEAR : LITTLE * Math.exp(above);
}

/** The meaning of documents with vectors in an index, of which some are the nearest. */
export function comparedMeaning(compared: VectorComparison<number>, nearest: readonly number[]): Meaning {
  const { mean, deviation } = compared;
  return { nearest, nearness: (document) => nearness(compared.scoreOf(document), mean, deviation) };
}
