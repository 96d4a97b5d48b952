import { createHash } from 'node:crypto';
import { type Embedder, type FilterRule, matchesFilter } from '@keepsake/core';
import { VectorIndex } from '@keepsake/search';
import { fetchDocuments } from './fetch-documents.ts';
import type { Records } from './records.ts';
import { VECTORS } from './store-scripts.ts';
import type { StoredRecord } from './stored-record.ts';

/** So many vectors are read in one step, which the server does nothing else in. */
const STEP = 500;

/** The bytes of a vector's embedder: those of another one are never compared with. */
const MARK = 8;

/** A vector as it is stored: the mark of its embedder, then 32-bit floats, the lowest byte first. */
export function writeVector(embedder: Embedder, vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(MARK + 4 * vector.length);
  markOf(embedder).copy(bytes);
  for (const [place, value] of vector.entries()) bytes.writeFloatLE(value, MARK + 4 * place);
  return bytes;
}

/**
 * A copy of the vectors of a namespace, which is brought up to date before each search: plain Redis can't compare
 * vectors.
 */
export class VectorReplica {
  readonly #records: Records;
  readonly #mark: Buffer;
  readonly #dimensions: number;
  #index: VectorIndex<number>;
  #born = '';
  #newest = 0;
  #updating: Promise<unknown> = Promise.resolve();

  constructor(records: Records, embedder: Embedder) {
    this.#records = records;
    this.#mark = markOf(embedder);
    this.#dimensions = embedder.dimensions;
    this.#index = new VectorIndex({ dimensions: this.#dimensions });
  }

  /** The records that are nearest to a vector and pass a filter, the nearest first; at most so many. */
  async nearest(vector: Float32Array, limit: number, rules: readonly FilterRule[]): Promise<StoredRecord[]> {
    // One after the other: of two updates at once, each would read all.
    const updated = this.#updating.then(() => this.#update());
    this.#updating = updated.catch(() => undefined);
    await updated;
    const nearest: StoredRecord[] = [];
    for (let seen = 0; nearest.length < limit; ) {
      const hits = this.#index.search(vector, { limit: seen + 2 * limit }).slice(seen);
      if (hits.length === 0) break;
      seen += hits.length;
      const documents = hits.map(({ key }) => key);
      const found = await fetchDocuments(this.#records, documents);
      for (const document of documents) {
        const stored = found.get(document);
        if (stored === undefined) {
          this.#index.remove(document);
          seen--;
        } else if (nearest.length < limit && matchesFilter(rules, stored.record)) nearest.push(stored);
      }
    }
    return nearest;
  }

  async #update(): Promise<void> {
    for (;;) {
      const reply = await this.#records.run(VECTORS, [this.#born, this.#newest, STEP]);
      const [born, newest, ...come] = reply as [Buffer, number, ...(number | Buffer | null)[]];
      if (String(born) !== this.#born) this.#index = new VectorIndex({ dimensions: this.#dimensions });
      this.#born = String(born);
      this.#newest = newest;
      for (let at = 0; at < come.length; at += 2) this.#set(come[at] as number, come[at + 1] as Buffer | null);
      if (come.length < 2 * STEP) return;
    }
  }

  #set(document: number, bytes: Buffer | null): void {
    const isOwn = bytes?.length === MARK + 4 * this.#dimensions && bytes.subarray(0, MARK).equals(this.#mark);
    if (!isOwn) this.#index.remove(document);
    else this.#index.set(document, readVector(bytes));
  }
}

function readVector(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: (bytes.length - MARK) / 4 }, (_, place) => bytes.readFloatLE(MARK + 4 * place));
}

function markOf({ id, dimensions }: Embedder): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([id, dimensions]))
    .digest()
    .subarray(0, MARK);
}
