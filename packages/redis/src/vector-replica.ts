import { createHash } from 'node:crypto';
import type { Embedder } from '@keepsake/core';
import { type VectorComparison, VectorIndex } from '@keepsake/search';
import type { Records } from './records.ts';
import { VECTORS } from './store-scripts.ts';

/** How many vectors the server reads in one step, during which it does nothing else. */
const STEP = 500;

/** The bytes that name the embedder of a vector: vectors of other embedders are never compared. */
const MARK = 8;

/** A vector as it is stored: the mark of its embedder, then 32-bit floats, little-endian. */
export function writeVector(embedder: Embedder, vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(MARK + 4 * vector.length);
  markOf(embedder).copy(bytes);
  for (const [place, value] of vector.entries()) bytes.writeFloatLE(value, MARK + 4 * place);
  return bytes;
}

/** The vectors of a namespace up to some change. */
interface Copy {
  /** When the namespace was created. */
  born: string;
  /** The number of the last change that was read. */
  newest: number;
  /** The documents that have a vector, also one of another embedder. */
  readonly documents: Set<number>;
  readonly index: VectorIndex<number>;
}

/** A copy of the vectors of a namespace, updated before each search: plain Redis can't compare vectors. */
export class VectorReplica {
  readonly #records: Records;
  readonly #mark: Buffer;
  readonly #dimensions: number;
  #copy: Copy;
  /** Rises with every change of the copy. */
  #version = 0;
  #updating: Promise<unknown> = Promise.resolve();

  constructor(records: Records, embedder: Embedder) {
    this.#records = records;
    this.#mark = markOf(embedder);
    this.#dimensions = embedder.dimensions;
    this.#copy = this.#emptyCopy();
  }

  /** Reads the changes since the last update. */
  async update(): Promise<void> {
    // One after the other: two updates at once would both read all changes.
    const updated = this.#updating.then(() => this.#update());
    this.#updating = updated.catch(() => undefined);
    await updated;
  }

  /** Compares a vector with those of the last update. Returns a function that gives the comparison as it is now. */
  compare(vector: Float32Array): () => VectorComparison<number> {
    let version = this.#version;
    let compared = this.#copy.index.compare(vector);
    return () => {
      // Another search updates the copy while this one waits for the server.
      if (version !== this.#version) [version, compared] = [this.#version, this.#copy.index.compare(vector)];
      return compared;
    };
  }

  async #update(): Promise<void> {
    const count = await this.#read(this.#copy);
    if (count === this.#copy.documents.size) return;
    // The server no longer knows which vectors were removed, or the namespace was emptied.
    const copy = this.#emptyCopy();
    await this.#read(copy);
    this.#copy = copy;
    this.#version++;
  }

  /** Brings a copy up to date, and returns how many documents have a vector. */
  async #read(copy: Copy): Promise<number> {
    for (;;) {
      const reply = await this.#records.run(VECTORS, [copy.born, copy.newest, STEP]);
      const [born, number, newest, count, ...changes] = reply as [
        Buffer,
        number,
        number,
        number,
        ...(number | Buffer | null)[],
      ];
      if (String(born) !== copy.born && copy.born !== '') return -1;
      copy.born = String(born);
      copy.newest = number;
      for (let at = 0; at < changes.length; at += 2) {
        this.#set(copy, changes[at] as number, changes[at + 1] as Buffer | null);
      }
      if (changes.length > 0) this.#version++;
      if (number === newest) return count;
    }
  }

  #set({ documents, index }: Copy, document: number, bytes: Buffer | null): void {
    if (bytes === null) documents.delete(document);
    else documents.add(document);
    const isOwn = bytes?.length === MARK + 4 * this.#dimensions && bytes.subarray(0, MARK).equals(this.#mark);
    if (isOwn) index.set(document, readVector(bytes));
    else index.remove(document);
  }

  #emptyCopy(): Copy {
    return { born: '', newest: 0, documents: new Set(), index: new VectorIndex({ dimensions: this.#dimensions }) };
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
