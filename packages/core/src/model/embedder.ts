/** Turns texts into vectors, for semantic search. */
export interface Embedder {
  /** Identifies the model and its settings. Vectors with different ids are never compared. */
  readonly id: string;
  /** The length of every vector. */
  readonly dimensions: number;
  /** One vector per text, in order. */
  embed(texts: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<Float32Array[]>;
}
