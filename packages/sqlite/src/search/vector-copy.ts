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

/** How many vectors, or documents, one step reads. */
const READ_AT_ONCE = 500;
const CHECKED_AT_ONCE = 5_000;

/** A check which documents of the copy still have a record. */
interface Check {
  /** How many vectors had been removed when it began. */
  readonly removed: number;
  /** The documents that are left to check, in their order. */
  readonly left: Iterator<number, undefined>;
}

/**
 * A copy of the vectors of a namespace, because SQLite can not compare vectors. Each search reads the new ones, in steps that
 * searches at the same time share.
 */
export class VectorCopy {
  readonly #embedder: Embedder;
  #index: VectorIndex<number>;
  /** In their order. */
  #documents = new Set<number>();
  #namespace = 0;
  #lastDocument = 0;
  #removed = 0;
  #check: Check | undefined;

  constructor(embedder: Embedder) {
    this.#embedder = embedder;
    this.#index = new VectorIndex({ dimensions: embedder.dimensions });
  }

  /** Reads more of what has changed since the last time. Returns whether the copy is complete. */
  readNext(connection: Connection, row: NamespaceRow): boolean {
    // A namespace that was cleared has another number.
    if (row.namespace !== this.#namespace) this.#reset(row);
    return this.#dropRemoved(connection, row) && this.#addNew(connection, row);
  }

  /** Begins to compare a vector with all others. */
  comparing(vector: Float32Array): VectorComparison<number> {
    return this.#index.comparing(vector);
  }

  #reset({ namespace, removed_vectors }: NamespaceRow): void {
    this.#index = new VectorIndex({ dimensions: this.#embedder.dimensions });
    this.#documents = new Set();
    this.#namespace = namespace;
    this.#lastDocument = 0;
    this.#removed = removed_vectors;
    this.#check = undefined;
  }

  #addNew(connection: Connection, { namespace, last_document }: NamespaceRow): boolean {
    const sql = `SELECT document, vector FROM keepsake_vectors
      WHERE namespace = ? AND document > ? AND embedder = ? ORDER BY document LIMIT ?`;
    const rows = connection.all<{ document: number; vector: Uint8Array }>(
      sql,
      ...[namespace, this.#lastDocument, this.#embedder.id, READ_AT_ONCE],
    );
    for (const { document, vector } of rows) {
      this.#index.set(document, readVector(vector, this.#embedder.dimensions));
      this.#documents.add(document);
      this.#lastDocument = document;
    }
    if (rows.length === READ_AT_ONCE) return false;
    this.#lastDocument = last_document;
    return true;
  }

  /** Checks more of the documents. Returns whether all are checked. */
  #dropRemoved(connection: Connection, { namespace, removed_vectors }: NamespaceRow): boolean {
    if (removed_vectors === this.#removed) return true;
    this.#check ??= { removed: removed_vectors, left: this.#documents.values() };
    const documents = [...take(this.#check.left, CHECKED_AT_ONCE)];
    const sql = `SELECT document FROM keepsake_records WHERE namespace = ? AND document BETWEEN ? AND ?`;
    const rows = connection.all<{ document: number }>(sql, namespace, documents[0] ?? 0, documents.at(-1) ?? 0);
    const living = new Set(rows.map(({ document }) => document));
    for (const document of documents) {
      if (living.has(document)) continue;
      this.#index.remove(document);
      this.#documents.delete(document);
    }
    if (documents.length === CHECKED_AT_ONCE) return false;
    this.#removed = this.#check.removed;
    this.#check = undefined;
    // Others may have been removed meanwhile.
    return this.#removed === removed_vectors;
  }
}

function* take<T>(values: Iterator<T, undefined>, count: number): Generator<T> {
  for (let n = 0; n < count; n++) {
    const { done, value } = values.next();
    if (done) return;
    yield value as T;
  }
}
