import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { finish, type Steps } from '@keepsake/internal';
import { endsStep } from '../snapshot/ends-step.ts';
import { grow } from '../snapshot/grow.ts';
import {
  decodeList,
  encodeList,
  ifUsable,
  joined,
  type Pieces,
  readSnapshot,
  type Sections,
  section,
  unusable,
  writeSnapshot,
} from '../snapshot/snapshot.ts';
import { inMemory, type StoredBytes } from '../snapshot/stored-bytes.ts';
import { VectorComparison, type VectorSearchOptions } from './comparison.ts';
import type { Slots, VectorHit } from './slots.ts';

/** The number of vectors per array: enough for a fast scan, few enough that the last array wastes little. */
const CHUNK = 64;

export interface VectorIndexOptions {
  /** The number of dimensions. */
  readonly dimensions: number;
}

const OPTIONS: FieldNames<VectorIndexOptions> = { dimensions: true };
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
  #removals = 0;
  readonly #slotsView: Slots<Key> = this.#view();

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
    return finish(VectorIndex.restoring(inMemory(bytes), options));
  }

  /** The same as {@link restore}, in steps. */
  static *restoring<Key extends string | number = string>(
    stored: StoredBytes,
    options: VectorIndexOptions,
  ): Steps<VectorIndex<Key> | undefined> {
    return yield* ifUsable(new VectorIndex<Key>(options).#read(stored));
  }

  /** The whole index as bytes, for machines of the same byte order, without removed vectors. */
  snapshot(): Uint8Array {
    return joined(this.snapshotting());
  }

  /** The same as {@link snapshot}, in steps and pieces. The index must not change in between. */
  snapshotting(): Pieces {
    return writeSnapshot(this.#kind, this.#sections());
  }

  *#sections(): Sections {
    const slots = [...this.#slots.values()].sort((a, b) => (this.#created[a] as number) - (this.#created[b] as number));
    yield* section('keys', encodeList(slots.map((slot) => this.#keys[slot] as Key)));
    yield 'vectors';
    for (const slot of slots) yield this.#bytesAt(slot);
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
    this.#removals++;
    return true;
  }

  /** The nearest keys by cosine, best first, last set first on ties. Throws like `set`. */
  search(vector: ArrayLike<number>, options: VectorSearchOptions<Key> = {}): VectorHit<Key>[] {
    return this.compare(vector).nearest(options);
  }

  /** Compares a vector with all others. Throws like `set`. */
  compare(vector: ArrayLike<number>): VectorComparison<Key> {
    const compared = this.comparing(vector);
    compared.next(() => false);
    return compared;
  }

  /** The same as {@link compare}, in steps. Throws like `set`. */
  comparing(vector: ArrayLike<number>): VectorComparison<Key> {
    return new VectorComparison(this.#slotsView, this.#unit(vector));
  }

  #view(): Slots<Key> {
    return {
      end: () => this.#keys.length,
      created: () => this.#created,
      newest: () => this.#births,
      changes: () => this.#births + this.#removals,
      cosine: (query, slot) => dot(query, this.#chunkOf(slot), (slot % CHUNK) * this.#dimensions),
      slotOf: (key) => this.#slots.get(key),
      keyOf: (slot) => this.#keys[slot] as Key,
    };
  }

  get #kind(): string {
    return `vectors of ${this.#dimensions}`;
  }

  *#read(stored: StoredBytes): Steps<this> {
    const section = readSnapshot(this.#kind, stored);
    const keys = (yield* decodeList(section('keys'))) as readonly Key[];
    const vectors = section('vectors');
    const length = this.#dimensions * Float32Array.BYTES_PER_ELEMENT;
    if (vectors.length !== keys.length * length) unusable();
    this.#created = grow(this.#created, keys.length);
    for (const [slot, key] of keys.entries()) {
      if (endsStep(slot)) yield;
      vectors.read(this.#bytesAt(slot), slot * length);
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
