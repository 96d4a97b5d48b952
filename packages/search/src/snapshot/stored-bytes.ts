import type { Steps } from '@keepsake/internal';

/** Bytes that are read when they are needed, such as those of a file. */
export interface StoredBytes {
  readonly length: number;
  /**
   * Fills `target` with the bytes from `offset`, all of which must exist. Throws an error that {@link isMissing} if they must be
   * loaded first, and asks for them.
   */
  read(target: Uint8Array, offset: number): void;
  /** Asks for bytes that will be read. Missing if nothing must be loaded. */
  want?(offset: number, length: number): void;
  /** Whether all bytes are there and stay there. Asks for them if not. Missing if nothing must be loaded. */
  keep?(): boolean;
}

class MissingBytes extends Error {}

const MISSING = new MissingBytes('Bytes must be loaded first.');

/** Says that bytes must be loaded before they can be read. */
export function missing(): never {
  throw MISSING;
}

/** Whether an error says that bytes must be loaded first. Nothing has changed then, and the same call works afterwards. */
export function isMissing(error: unknown): boolean {
  return error === MISSING;
}

/** The result of a step that only reads; `undefined` if bytes that were asked for must be loaded first. */
export function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
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
  const { want, keep } = stored;
  return {
    length,
    read: (target, offset) => stored.read(target, from + offset),
    ...(want && { want: (offset: number, count: number) => stored.want?.(from + offset, count) }),
    ...(keep && { keep: () => stored.keep?.() ?? true }),
  };
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
