import { grow } from '../snapshot/grow.ts';

/** Blocks up to this size share arrays: 256 KiB each. Larger ones have their own. */
const SHARED_EXPONENT = 16;
const SHARED_SIZE = 2 ** SHARED_EXPONENT;
const NOTHING = new Uint32Array(0);

/**
 * Blocks of numbers, whose sizes are powers of two. They are in many arrays, because one array for millions of numbers takes
 * too long to copy when it grows.
 */
export class Arena {
  /** A block starts at the number of its array times the size of a shared one, plus its place there. */
  readonly #arrays: Uint32Array[] = [new Uint32Array(64)];
  /** The shared array with room for new blocks, and how much of it is in use. */
  #open = 0;
  #end = 0;
  /** The starts of free blocks, by exponent. */
  readonly #vacant: number[][] = [];
  /** The numbers of arrays that are no more. */
  readonly #freeArrays: number[] = [];

  /** The start of a free block with room for two to the power of `exponent` numbers. What is in it is undefined. */
  take(exponent: number): number {
    const vacant = this.#vacant[exponent]?.pop();
    if (vacant !== undefined) return vacant;
    const size = 2 ** exponent;
    if (size > SHARED_SIZE) return this.#addArray(size) * SHARED_SIZE;
    if (this.#end + size > SHARED_SIZE) this.#openArray();
    const start = this.#open * SHARED_SIZE + this.#end;
    this.#end += size;
    this.#reserve(this.#end);
    return start;
  }

  /** Frees a block. */
  free(start: number, exponent: number): void {
    if (exponent > SHARED_EXPONENT) {
      this.#arrays[start / SHARED_SIZE] = NOTHING;
      this.#freeArrays.push(start / SHARED_SIZE);
      return;
    }
    const vacant = this.#vacant[exponent];
    if (vacant === undefined) this.#vacant[exponent] = [start];
    else vacant.push(start);
  }

  /** The first numbers of a block, as a view that is valid until the next block is taken or freed. */
  view(start: number, length: number): Uint32Array {
    const from = start % SHARED_SIZE;
    return this.#arrayOf(start).subarray(from, from + length);
  }

  get(start: number, place: number): number {
    return this.#arrayOf(start)[(start % SHARED_SIZE) + place] as number;
  }

  set(start: number, place: number, value: number): void {
    this.#arrayOf(start)[(start % SHARED_SIZE) + place] = value;
  }

  #arrayOf(start: number): Uint32Array {
    return this.#arrays[Math.floor(start / SHARED_SIZE)] as Uint32Array;
  }

  #addArray(size: number): number {
    const number = this.#freeArrays.pop() ?? this.#arrays.length;
    this.#arrays[number] = new Uint32Array(size);
    return number;
  }

  /** Starts another shared array. The rest of the last one becomes blocks for later. */
  #openArray(): void {
    this.#reserve(SHARED_SIZE);
    for (let exponent = 0; this.#end < SHARED_SIZE; exponent++) {
      const size = 2 ** exponent;
      if (((SHARED_SIZE - this.#end) & size) === 0) continue;
      this.free(this.#open * SHARED_SIZE + this.#end, exponent);
      this.#end += size;
    }
    this.#open = this.#addArray(SHARED_SIZE);
    this.#end = 0;
  }

  /** Only the first array starts smaller: most indexes are small. */
  #reserve(end: number): void {
    this.#arrays[this.#open] = grow(this.#arrays[this.#open] as Uint32Array, end);
  }
}
