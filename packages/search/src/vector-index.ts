import { grow } from './grow.ts';
import {
  decodeList,
  encodeList,
  ifUsable,
  readSnapshot,
  type SectionReader,
  unusable,
  writeSnapshot,
} from './snapshot.ts';
import { TopK } from './top-k.ts';

/** So many vectors share an array: enough to be scanned in one go, few enough that the last one wastes little. */
const CHUNK = 64;

/** Cosines are added up as whole numbers of this part of 1: so the sum is the same in whatever order they stand. */
const WHOLE = 2 ** 30;

export interface VectorIndexOptions {
  /** How many numbers every vector has. */
  readonly dimensions: number;
}

export interface VectorSearchOptions<Key> {
  /** At most so many hits, the best ones. Default 10. */
  readonly limit?: number;
  /** Only keys for which it returns true are ranked. It is not asked about all, and must not change the index. */
  readonly filter?: (key: Key) => boolean;
}

export interface VectorHit<Key> {
  readonly key: Key;
  /** The cosine of the angle to the query: 1 for the same direction, 0 for nothing in common, -1 for the opposite. */
  readonly score: number;
}

/** How near all vectors of an index are to one. */
export interface VectorComparison<Key> {
  /** Of the cosines of all vectors. */
  readonly mean: number;
  /** The standard deviation of the cosines. */
  readonly deviation: number;
  /** The cosine of a key's vector; `undefined` where it has none. */
  scoreOf(key: Key): number | undefined;
  /** The nearest, best first; of equal scores the one set last first. */
  nearest(options?: VectorSearchOptions<Key>): VectorHit<Key>[];
}

/**
 * Vectors by key, searched by comparing with every one: exact, and quick enough for some 100,000 of them. They are
 * kept as 32-bit floats of length 1, so that of two vectors of one direction neither ranks higher. A vector of zeros
 * has no direction and scores 0.
 */
export class VectorIndex<Key extends string | number = string> {
  readonly #dimensions: number;
  readonly #slots = new Map<Key, number>();
  readonly #keys: (Key | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #chunks: Float32Array[] = [];
  /** Of each slot when its vector was set, counted from 1; 0 where there is none. */
  #born = new Float64Array(0);
  #births = 0;

  /** Throws a RangeError where `dimensions` is no positive integer. */
  constructor(options: VectorIndexOptions) {
    if (!Number.isInteger(options.dimensions) || options.dimensions < 1) {
      throw new RangeError(`Dimensions must be a positive integer, not ${options.dimensions}.`);
    }
    this.#dimensions = options.dimensions;
  }

  /**
   * The index of a snapshot: it finds the same, with the same scores. `undefined` for bytes that are no whole snapshot,
   * or one of other dimensions, or of a version that stored otherwise: set the vectors anew then. A byte that has changed
   * may go unnoticed; at worst, others are found. Throws as the constructor does.
   */
  static restore<Key extends string | number = string>(
    bytes: Uint8Array,
    options: VectorIndexOptions,
  ): VectorIndex<Key> | undefined {
    const index = new VectorIndex<Key>(options);
    return ifUsable(() => {
      index.#read(readSnapshot(index.#kind, bytes));
      return index;
    });
  }

  /** All of the index as bytes, for machines of the same byte order; nothing of removed vectors. */
  snapshot(): Uint8Array {
    const slots = [...this.#slots.values()].sort((a, b) => (this.#born[a] as number) - (this.#born[b] as number));
    return writeSnapshot(this.#kind, {
      keys: encodeList(slots.map((slot) => this.#keys[slot] as Key)),
      vectors: slots.map((slot) => this.#bytesAt(slot)),
    });
  }

  /** How many vectors there are. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * Sets the vector of a key, in place of the one that it may have had, as the newest. The vector is copied. Throws a
   * RangeError, and changes nothing, where it has another number of dimensions or a number that is not finite as a
   * 32-bit float.
   */
  set(key: Key, vector: ArrayLike<number>): void {
    const unit = this.#unit(vector);
    const slot = this.#slots.get(key) ?? this.#free.pop() ?? this.#keys.length;
    this.#born = grow(this.#born, slot + 1);
    this.#chunkOf(slot).set(unit, (slot % CHUNK) * this.#dimensions);
    this.#born[slot] = ++this.#births;
    this.#keys[slot] = key;
    this.#slots.set(key, slot);
  }

  /** Whether a key has a vector. */
  has(key: Key): boolean {
    return this.#slots.has(key);
  }

  /** Removes a vector; false where the key has none. */
  remove(key: Key): boolean {
    const slot = this.#slots.get(key);
    if (slot === undefined) return false;
    this.#slots.delete(key);
    this.#keys[slot] = undefined;
    this.#born[slot] = 0;
    this.#free.push(slot);
    return true;
  }

  /** The nearest by cosine, best first; of equal scores the one set last first. Throws as `set` does. */
  search(vector: ArrayLike<number>, options: VectorSearchOptions<Key> = {}): VectorHit<Key>[] {
    return this.compare(vector).nearest(options);
  }

  /** Compares a vector with all. What it returns is good until the next change. Throws as `set` does. */
  compare(vector: ArrayLike<number>): VectorComparison<Key> {
    const query = this.#unit(vector);
    const scores = new Float64Array(this.#keys.length);
    let [sum, squares] = [0, 0];
    for (let slot = 0; slot < scores.length; slot++) {
      if ((this.#born[slot] ?? 0) === 0) continue;
      const score = dot(query, this.#chunkOf(slot), (slot % CHUNK) * this.#dimensions);
      scores[slot] = score;
      sum += Math.round(score * WHOLE);
      squares += Math.round(score * score * WHOLE);
    }
    const count = Math.max(1, this.size) * WHOLE;
    const mean = sum / count;
    const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean));
    return {
      mean,
      deviation,
      scoreOf: (key) => {
        const slot = this.#slots.get(key);
        return slot === undefined ? undefined : scores[slot];
      },
      nearest: (options = {}) => this.#nearest(scores, options),
    };
  }

  #nearest(scores: Float64Array, { limit = 10, filter }: VectorSearchOptions<Key>): VectorHit<Key>[] {
    if (!(limit > 0)) return [];
    const best = new TopK(limit);
    for (let slot = 0; slot < scores.length; slot++) {
      const born = this.#born[slot] ?? 0;
      const score = scores[slot] as number;
      if (born === 0 || !best.accepts(score, born)) continue;
      if (filter === undefined || filter(this.#keys[slot] as Key)) best.offer(slot, score, born);
    }
    return best.ranked().map(({ id, score }) => ({ key: this.#keys[id] as Key, score }));
  }

  get #kind(): string {
    return `vectors of ${this.#dimensions}`;
  }

  #read(section: SectionReader): void {
    const keys = decodeList(section('keys')) as readonly Key[];
    const vectors = section('vectors');
    const length = this.#dimensions * Float32Array.BYTES_PER_ELEMENT;
    if (vectors.length !== keys.length * length) unusable();
    this.#born = grow(this.#born, keys.length);
    for (const [slot, key] of keys.entries()) {
      this.#bytesAt(slot).set(vectors.subarray(slot * length, (slot + 1) * length));
      this.#born[slot] = ++this.#births;
      this.#keys[slot] = key;
      this.#slots.set(key, slot);
    }
    if (this.#slots.size !== keys.length) unusable();
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
    if (!Number.isFinite(squares)) throw new RangeError('The vector holds a number that is not a finite 32-bit float.');
    const norm = Math.sqrt(squares) || 1;
    return unit.map((value) => value / norm);
  }
}

/** Four sums side by side: each waits only for itself. */
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
