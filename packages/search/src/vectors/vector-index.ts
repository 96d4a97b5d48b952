import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { TopK } from '../lexical/top-k.ts';
import { grow } from '../snapshot/grow.ts';
import { decodeList, encodeList, ifUsable, readSnapshot, unusable, writeSnapshot } from '../snapshot/snapshot.ts';
import { endsStep, finish, type Steps } from '../snapshot/steps.ts';

/** The number of vectors per array: enough for a fast scan, few enough that the last array wastes little. */
const CHUNK = 64;

/** Cosines are summed as whole multiples of this fraction, so that the sum does not depend on their order. */
const WHOLE = 2 ** 30;

export interface VectorIndexOptions {
  /** The number of dimensions. */
  readonly dimensions: number;
}

export interface VectorSearchOptions<Key> {
  /** The maximum number of hits. @default 10 */
  readonly limit?: number | undefined;
  /** Ranks only keys for which it returns true. Not called for all keys. Must not change the index. */
  readonly filter?: ((key: Key, score: number) => boolean) | undefined;
}

const OPTIONS: FieldNames<VectorIndexOptions> = { dimensions: true };
const SEARCH_OPTIONS: FieldNames<VectorSearchOptions<unknown>> = { limit: true, filter: true };

export interface VectorHit<Key> {
  readonly key: Key;
  /** The cosine of the angle to the query: 1 for the same direction, 0 for nothing in common, -1 for the opposite. */
  readonly score: number;
}

/** The comparison of all vectors of an index with one. */
export interface VectorComparison<Key> {
  /** The number of vectors. */
  readonly count: number;
  /** The mean of the cosines of all vectors. */
  readonly mean: number;
  /** The standard deviation of the cosines. */
  readonly deviation: number;
  /** The cosine of a key's vector, if it has one. */
  scoreOf(key: Key): number | undefined;
  /** The nearest keys, best first, last set first on ties. */
  nearest(options?: VectorSearchOptions<Key>): VectorHit<Key>[];
}

/**
 * Vectors by key with an exhaustive search: exact, and fast enough for about 100,000 vectors. They are stored as 32-bit
 * floats of length 1, so that vectors with the same direction rank equally. A zero vector scores 0.
 */
export class VectorIndex<Key extends string | number = string> {
  readonly #dimensions: number;
  readonly #slots = new Map<Key, number>();
  readonly #keys: (Key | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #chunks: Float32Array[] = [];
  /** By slot: when its vector was set, from 1; 0 for none. */
  #created = new Float64Array(0);
  #births = 0;

  /** Throws a RangeError unless `dimensions` is a positive integer. */
  constructor(options: VectorIndexOptions) {
    expectKnownFields(options, OPTIONS);
    if (!Number.isInteger(options.dimensions) || options.dimensions < 1) {
      throw new RangeError(`Dimensions must be a positive integer, not ${options.dimensions}.`);
    }
    this.#dimensions = options.dimensions;
  }

  /**
   * Loads an index from a snapshot, with the same scores. Returns `undefined` for incomplete bytes, other dimensions or
   * another version: then set the vectors again. A corrupted byte may go unnoticed; at worst, it changes the results. Throws
   * like the constructor.
   */
  static restore<Key extends string | number = string>(
    bytes: Uint8Array,
    options: VectorIndexOptions,
  ): VectorIndex<Key> | undefined {
    return finish(VectorIndex.restoring(bytes, options));
  }

  /** The same as {@link restore}, in steps. */
  static *restoring<Key extends string | number = string>(
    bytes: Uint8Array,
    options: VectorIndexOptions,
  ): Steps<VectorIndex<Key> | undefined> {
    return yield* ifUsable(new VectorIndex<Key>(options).#read(bytes));
  }

  /** The whole index as bytes, for machines of the same byte order, without removed vectors. */
  snapshot(): Uint8Array {
    const slots = [...this.#slots.values()].sort((a, b) => (this.#created[a] as number) - (this.#created[b] as number));
    return writeSnapshot(this.#kind, {
      keys: encodeList(slots.map((slot) => this.#keys[slot] as Key)),
      vectors: slots.map((slot) => this.#bytesAt(slot)),
    });
  }

  /** The number of vectors. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * Sets or replaces the vector of a key, as the newest. Copies the vector. Throws a RangeError, and changes nothing, for
   * another number of dimensions or a number that is not finite as a 32-bit float.
   */
  set(key: Key, vector: ArrayLike<number>): void {
    const unit = this.#unit(vector);
    const slot = this.#slots.get(key) ?? this.#free.pop() ?? this.#keys.length;
    this.#created = grow(this.#created, slot + 1);
    this.#chunkOf(slot).set(unit, (slot % CHUNK) * this.#dimensions);
    this.#created[slot] = ++this.#births;
    this.#keys[slot] = key;
    this.#slots.set(key, slot);
  }

  /** Whether a key has a vector. */
  has(key: Key): boolean {
    return this.#slots.has(key);
  }

  /** Removes a vector. Returns false if the key has none. */
  remove(key: Key): boolean {
    const slot = this.#slots.get(key);
    if (slot === undefined) return false;
    this.#slots.delete(key);
    this.#keys[slot] = undefined;
    this.#created[slot] = 0;
    this.#free.push(slot);
    return true;
  }

  /** The nearest keys by cosine, best first, last set first on ties. Throws like `set`. */
  search(vector: ArrayLike<number>, options: VectorSearchOptions<Key> = {}): VectorHit<Key>[] {
    return this.compare(vector).nearest(options);
  }

  /** Compares a vector with all others. The result is valid until the next change. Throws like `set`. */
  compare(vector: ArrayLike<number>): VectorComparison<Key> {
    const query = this.#unit(vector);
    const scores = new Float64Array(this.#keys.length);
    let [sum, squares] = [0, 0];
    for (let slot = 0; slot < scores.length; slot++) {
      if ((this.#created[slot] ?? 0) === 0) continue;
      const score = dot(query, this.#chunkOf(slot), (slot % CHUNK) * this.#dimensions);
      scores[slot] = score;
      sum += Math.round(score * WHOLE);
      squares += Math.round(score * score * WHOLE);
    }
    const count = Math.max(1, this.size) * WHOLE;
    const mean = sum / count;
    const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean));
    return {
      count: this.size,
      mean,
      deviation,
      scoreOf: (key) => {
        const slot = this.#slots.get(key);
        return slot === undefined ? undefined : scores[slot];
      },
      nearest: (options = {}) => {
        expectKnownFields(options, SEARCH_OPTIONS);
        return this.#nearest(scores, options);
      },
    };
  }

  #nearest(scores: Float64Array, { limit = 10, filter }: VectorSearchOptions<Key>): VectorHit<Key>[] {
    if (!(limit > 0)) return [];
    const best = new TopK(limit);
    for (let slot = 0; slot < scores.length; slot++) {
      const created = this.#created[slot] ?? 0;
      const score = scores[slot] as number;
      if (created === 0 || !best.accepts(score, created)) continue;
      if (filter === undefined || filter(this.#keys[slot] as Key, score)) best.offer(slot, score, created);
    }
    return best.ranked().map(({ id, score }) => ({ key: this.#keys[id] as Key, score }));
  }

  get #kind(): string {
    return `vectors of ${this.#dimensions}`;
  }

  *#read(bytes: Uint8Array): Steps<this> {
    const section = readSnapshot(this.#kind, bytes);
    const keys = (yield* decodeList(section('keys'))) as readonly Key[];
    const vectors = section('vectors');
    const length = this.#dimensions * Float32Array.BYTES_PER_ELEMENT;
    if (vectors.length !== keys.length * length) unusable();
    this.#created = grow(this.#created, keys.length);
    for (const [slot, key] of keys.entries()) {
      if (endsStep(slot)) yield;
      this.#bytesAt(slot).set(vectors.subarray(slot * length, (slot + 1) * length));
      this.#created[slot] = ++this.#births;
      this.#keys[slot] = key;
      this.#slots.set(key, slot);
    }
    if (this.#slots.size !== keys.length) unusable();
    return this;
  }

  #bytesAt(slot: number): Uint8Array {
    const { buffer, BYTES_PER_ELEMENT } = this.#chunkOf(slot);
    const length = this.#dimensions * BYTES_PER_ELEMENT;
    return new Uint8Array(buffer, (slot % CHUNK) * length, length);
  }

  #chunkOf(slot: number): Float32Array {
    const place = Math.floor(slot / CHUNK);
    this.#chunks[place] ??= new Float32Array(CHUNK * this.#dimensions);
    return this.#chunks[place];
  }

  #unit(vector: ArrayLike<number>): Float32Array {
    if (vector.length !== this.#dimensions) {
      throw new RangeError(`The vector has ${vector.length} dimensions instead of ${this.#dimensions}.`);
    }
    const unit = Float32Array.from(vector);
    let squares = 0;
    for (const value of unit) squares += value * value;
    if (!Number.isFinite(squares)) throw new RangeError('The vector has a number that is not a finite 32-bit float.');
    const norm = Math.sqrt(squares) || 1;
    return unit.map((value) => value / norm);
  }
}

/** Four independent sums, for instruction-level parallelism. */
function dot(query: Float32Array, vectors: Float32Array, offset: number): number {
  const length = query.length;
  const whole = length - (length % 4);
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = 0; i < whole; i += 4) {
    a += (query[i] as number) * (vectors[offset + i] as number);
    b += (query[i + 1] as number) * (vectors[offset + i + 1] as number);
    c += (query[i + 2] as number) * (vectors[offset + i + 2] as number);
    d += (query[i + 3] as number) * (vectors[offset + i + 3] as number);
  }
  for (let i = whole; i < length; i++) a += (query[i] as number) * (vectors[offset + i] as number);
  return a + b + (c + d);
}
