import type { Steps } from './steps.ts';

/** Bytes that are read when they are needed, such as those of a file. */
export interface StoredBytes {
  readonly length: number;
  /** Fills `target` with the bytes from `offset`, all of which must exist. */
  read(target: Uint8Array, offset: number): void;
}

/** Bytes in memory. */
export function inMemory(bytes: Uint8Array): StoredBytes {
  return {
    length: bytes.length,
    read: (target, offset) => target.set(bytes.subarray(offset, offset + target.length)),
  };
}

/** A range of stored bytes. */
export function part(stored: StoredBytes, from: number, length: number): StoredBytes {
  return { length, read: (target, offset) => stored.read(target, from + offset) };
}

/** Some stored bytes as a copy. */
export function bytesAt(stored: StoredBytes, offset = 0, length = stored.length - offset): Uint8Array {
  const bytes = new Uint8Array(length);
  stored.read(bytes, offset);
  return bytes;
}

type NumberArray = Uint8Array | Uint32Array | Float64Array;

/** How many bytes are read in one step. */
const STEP_BYTES = 256 * 1024;

/** Reads an array of numbers, in steps. */
export function* readNumbers<T extends NumberArray>(stored: StoredBytes, into: T): Steps<T> {
  const bytes = bytesOf(into);
  for (let from = 0; from < bytes.length; from += STEP_BYTES) {
    stored.read(bytes.subarray(from, from + STEP_BYTES), from);
    yield;
  }
  return into;
}

/** Reads a few numbers at a time. */
export class StoredNumbers<T extends NumberArray> {
  readonly #stored: StoredBytes;
  readonly #numbers: T;
  readonly #bytes: Uint8Array;

  /** @param numbers - Is filled again and again: a new array for each call would cost more than reading. */
  constructor(stored: StoredBytes, numbers: T) {
    this.#stored = stored;
    this.#numbers = numbers;
    this.#bytes = bytesOf(numbers);
  }

  /** The numbers from an index on, until the next call. */
  at(from: number): T {
    this.#stored.read(this.#bytes, from * this.#numbers.BYTES_PER_ELEMENT);
    return this.#numbers;
  }

  /** How many numbers there are. */
  get count(): number {
    return this.#stored.length / this.#numbers.BYTES_PER_ELEMENT;
  }
}

/** The bytes of an array of numbers. */
export function bytesOf(numbers: NumberArray): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
