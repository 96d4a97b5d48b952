import type { Embedder } from '@keepsake/core';
import { type VectorComparison, VectorIndex } from '@keepsake/search';
import type { Connection } from '../database/connection.ts';
import { damaged } from '../database/stored-values.ts';
import type { NamespaceRow } from '../records/namespace-rows.ts';

/** The bytes of a vector as the tables store it: 32-bit floats of this machine. */
export function vectorBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** @throws MemoryError `CORRUPT` unless it is a vector of this length with finite numbers. */
function readVector(bytes: Uint8Array, dimensions: number): Float32Array {
  const vector = bytes.length === dimensions * 4 ? new Float32Array(bytes.slice().buffer) : undefined;
  if (vector?.every(Number.isFinite)) return vector;
  throw damaged('A vector of this store');
}

/** A copy of the vectors of a namespace, because SQLite can not compare vectors. Each search reads the new ones. */
export class VectorCopy {
  readonly #embedder: Embedder;
  #index: VectorIndex<number>;
  #documents = new Set<number>();
  #namespace = 0;
  #lastDocument = 0;
  #removed = 0;

  constructor(embedder: Embedder) {
    this.#embedder = embedder;
    this.#index = new VectorIndex({ dimensions: embedder.dimensions });
  }

  /** Reads what has changed since the last time, and compares a vector with all others. */
  compare(connection: Connection, row: NamespaceRow, vector: Float32Array): VectorComparison<number> {
    // A namespace that was cleared has another number.
    if (row.namespace !== this.#namespace) this.#reset(row);
    if (row.removed_vectors !== this.#removed) this.#dropRemoved(connection, row);
    const sql = 'SELECT document, vector FROM keepsake_vectors WHERE namespace = ? AND document > ? AND embedder = ?';
    const rows = connection.all<{ document: number; vector: Uint8Array }>(
      sql,
      ...[row.namespace, this.#lastDocument, this.#embedder.id],
    );
    for (const { document, vector } of rows) {
      this.#index.set(document, readVector(vector, this.#embedder.dimensions));
      this.#documents.add(document);
    }
    this.#lastDocument = row.last_document;
    return this.#index.compare(vector);
  }

  #reset({ namespace, removed_vectors }: NamespaceRow): void {
    this.#index = new VectorIndex({ dimensions: this.#embedder.dimensions });
    this.#documents = new Set();
    this.#namespace = namespace;
    this.#lastDocument = 0;
    this.#removed = removed_vectors;
  }

  #dropRemoved(connection: Connection, { namespace, removed_vectors }: NamespaceRow): void {
    const sql = 'SELECT document FROM keepsake_records WHERE namespace = ? AND document IS NOT NULL';
    const living = new Set(connection.all<{ document: number }>(sql, namespace).map(({ document }) => document));
    for (const document of this.#documents) {
      if (living.has(document)) continue;
      this.#index.remove(document);
      this.#documents.delete(document);
    }
    this.#removed = removed_vectors;
  }
}
