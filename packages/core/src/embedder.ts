/** Turns texts into vectors, so that a store can search by meaning. */
export interface Embedder {
  /** Names the model and its settings: vectors of different ids are never compared. */
  readonly id: string;
  /** The length of every vector. */
  readonly dimensions: number;
  /** One vector a text, in the order of the texts. */
  embed(texts: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<Float32Array[]>;
}
