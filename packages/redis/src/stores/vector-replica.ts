import { createHash } from 'node:crypto';
import type { Embedder } from '@keepsake/core';
import { type VectorComparison, VectorIndex } from '@keepsake/search';
import { compareInSteps } from '@keepsake/search/remote';
import type { ScriptArgument } from '../client/redis-client.ts';
import type { Script } from '../client/script.ts';
import { VECTORS, type VectorsReply } from '../lua/records/vectors.ts';

/** How many vectors the server reads in one step, during which it does nothing else. */
const STEP = 500;

/** The bytes of the id of an embedder. Vectors of different embedders are never compared. */
const EMBEDDER_ID_BYTES = 8;

/** A vector as it is stored: the id of its embedder, then 32-bit floats, little-endian. */
export function writeVector(embedder: Embedder, vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(EMBEDDER_ID_BYTES + 4 * vector.length);
  embedderId(embedder).copy(bytes);
  for (const [n, value] of vector.entries()) bytes.writeFloatLE(value, EMBEDDER_ID_BYTES + 4 * n);
  return bytes;
}

/** Runs scripts on the keys of one namespace. */
export interface ScriptRunner {
  run(script: Script, values: readonly ScriptArgument[]): Promise<unknown[]>;
}

/** The vectors of a namespace up to some change. */
interface Copy {
  /** When the namespace was created. */
  created: string;
  /** The number of the last change that was read. */
  last: number;
  /** The documents that have a vector, including those of other embedders. */
  readonly documents: Set<number>;
  readonly index: VectorIndex<number>;
}

/** A copy of the vectors of a namespace, updated before each search, because plain Redis can't compare vectors. */
export class VectorReplica {
  readonly #scripts: ScriptRunner;
  readonly #embedderId: Buffer;
  readonly #dimensions: number;
  #copy: Copy;
  #updating: Promise<unknown> = Promise.resolve();

  constructor(scripts: ScriptRunner, embedder: Embedder) {
    this.#scripts = scripts;
    this.#embedderId = embedderId(embedder);
    this.#dimensions = embedder.dimensions;
    this.#copy = this.#emptyCopy();
  }

  /** Reads the changes since the last update. */
  async update(): Promise<void> {
    // One after the other, because two updates at once would both read all changes.
    const updated = this.#updating.then(() => this.#update());
    this.#updating = updated.catch(() => undefined);
    await updated;
  }

  /** Compares a vector with those of the last update. Returns a function that returns the current comparison. */
  async compare(vector: Float32Array, signal: AbortSignal | undefined): Promise<() => VectorComparison<number>> {
    let { index } = this.#copy;
    let compared = await compareInSteps(index.comparing(vector), signal);
    return () => {
      // Another search may have updated or replaced the copy while this one waited for the server.
      if (index !== this.#copy.index) [index, compared] = [this.#copy.index, this.#copy.index.comparing(vector)];
      compared.next(() => false);
      return compared;
    };
  }

  async #update(): Promise<void> {
    const count = await this.#read(this.#copy);
    if (count === this.#copy.documents.size) return;
    // The server no longer has all tombstones, or the namespace was emptied.
    const copy = this.#emptyCopy();
    await this.#read(copy);
    this.#copy = copy;
  }

  /** Updates a copy. Returns how many documents have a vector, or -1 if the copy is of a namespace that was emptied. */
  async #read(copy: Copy): Promise<number> {
    for (;;) {
      const reply = await this.#scripts.run(VECTORS, [copy.created, copy.last, STEP]);
      const [created, last, newest, count, ...changes] = reply as VectorsReply;
      if (String(created) !== copy.created && copy.created !== '') return -1;
      copy.created = String(created);
      copy.last = last;
      for (let at = 0; at < changes.length; at += 2) {
        this.#set(copy, changes[at] as number, changes[at + 1] as Buffer | null);
      }
      if (last === newest) return count;
    }
  }

  #set({ documents, index }: Copy, document: number, bytes: Buffer | null): void {
    if (bytes === null) documents.delete(document);
    else documents.add(document);
    if (bytes !== null && this.#isOwn(bytes)) index.set(document, readVector(bytes));
    else index.remove(document);
  }

  #isOwn(bytes: Buffer): boolean {
    const hasSize = bytes.length === EMBEDDER_ID_BYTES + 4 * this.#dimensions;
    return hasSize && bytes.subarray(0, EMBEDDER_ID_BYTES).equals(this.#embedderId);
  }

  #emptyCopy(): Copy {
    return { created: '', last: 0, documents: new Set(), index: new VectorIndex({ dimensions: this.#dimensions }) };
  }
}

function readVector(bytes: Buffer): Float32Array {
  const length = (bytes.length - EMBEDDER_ID_BYTES) / 4;
  return Float32Array.from({ length }, (_, n) => bytes.readFloatLE(EMBEDDER_ID_BYTES + 4 * n));
}

function embedderId({ id, dimensions }: Embedder): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([id, dimensions]))
    .digest()
    .subarray(0, EMBEDDER_ID_BYTES);
}
