import type { VectorComparison } from './vector-index.ts';

/** How near documents are to a query by their vectors. */
export interface Meaning {
  /** 0 for what has no vector, next to nothing for what is no nearer than the average; 1 is uncommonly near. */
  nearness(document: number): number;
  /** The documents of the highest nearness, of those that pass. */
  nearest(limit: number, filter?: (document: number) => boolean): readonly number[];
}

/** A cosine this many standard deviations above the mean is uncommonly near. */
const NEAR = 3;
/** What is no nearer than others still counts for a little, the nearer the more: it has an order, too. */
const LITTLE = 0.01;

/**
 * Cosines compare only with those of the same query: what counts is by how many standard deviations one is above the
 * mean of all. So an embedder that finds everything alike adds little, whatever its cosines.
 */
export function nearness(cosine: number | undefined, mean: number, deviation: number): number {
  if (cosine === undefined) return 0;
  const above = deviation === 0 ? 0 : (cosine - mean) / deviation;
  return above > 0 ? LITTLE + above / NEAR : LITTLE * Math.exp(above);
}

/** The meaning of documents that an index has the vectors of. */
export function comparedMeaning(compared: VectorComparison<number>): Meaning {
  const { mean, deviation } = compared;
  return {
    nearness: (document) => nearness(compared.scoreOf(document), mean, deviation),
    nearest: (limit, filter) =>
      compared.nearest(filter === undefined ? { limit } : { limit, filter }).map(({ key }) => key),
  };
}
