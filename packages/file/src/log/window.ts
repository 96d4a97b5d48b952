import { readBytes } from '../disk/disk.ts';

const FIRST_BYTES = 16 * 1024;
const MOST_BYTES = 4 * 1024 * 1024;

/** Reads a file backwards, in growing ranges. */
export class Window {
  readonly #file: number;
  #bytes: Buffer = Buffer.alloc(0);
  #offset = 0;
  #next = FIRST_BYTES;

  constructor(file: number) {
    this.#file = file;
  }

  /** The bytes before `end`, at least `wanted` of them or all there are, and their offset. */
  before(end: number, wanted: number): { readonly bytes: Buffer; readonly offset: number } {
    const least = Math.max(0, end - wanted);
    if (this.#offset > least || this.#offset + this.#bytes.length < end) {
      this.#offset = Math.max(0, end - Math.max(wanted, this.#next));
      this.#bytes = readBytes(this.#file, this.#offset, end - this.#offset);
      this.#next = Math.min(MOST_BYTES, 2 * this.#next);
    }
    return { bytes: this.#bytes.subarray(0, end - this.#offset), offset: this.#offset };
  }
}
