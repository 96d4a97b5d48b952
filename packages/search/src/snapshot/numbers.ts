import { grow } from './grow.ts';
import { unusable } from './snapshot.ts';

/** The maximum number of bytes per number. */
const MAX_BYTES = 8;

/** Writes whole numbers from 0 up, small ones in few bytes: 7 bits a byte, the lowest first. */
export class NumberWriter {
  #bytes = new Uint8Array(256);
  #end = 0;

  write(number: number): void {
    this.#bytes = grow(this.#bytes, this.#end + MAX_BYTES);
    let rest = number;
    for (; rest >= 2 ** 31; rest = Math.floor(rest / 0x80)) this.#bytes[this.#end++] = 0x80 | (rest % 0x80);
    for (; rest >= 0x80; rest >>>= 7) this.#bytes[this.#end++] = 0x80 | (rest & 0x7f);
    this.#bytes[this.#end++] = rest;
  }

  /** The bytes written so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  /** The bytes written since the last time. */
  take(): Uint8Array {
    const bytes = this.#bytes.slice(0, this.#end);
    this.#end = 0;
    return bytes;
  }
}

/** Reads the output of a {@link NumberWriter}. Returns whole numbers for any bytes, or refuses them. */
export class NumberReader {
  readonly #bytes: Uint8Array;
  #place = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#place === this.#bytes.length;
  }

  read(): number {
    let byte = this.#next();
    let number = byte & 0x7f;
    // Bit operations are faster, but only up to 32 bits.
    for (let shift = 7; byte >= 0x80 && shift < 28; shift += 7) {
      byte = this.#next();
      number |= (byte & 0x7f) << shift;
    }
    for (let unit = 2 ** 28; byte >= 0x80; unit *= 0x80) {
      if (unit === 2 ** (7 * MAX_BYTES)) unusable();
      byte = this.#next();
      number += (byte & 0x7f) * unit;
    }
    return number;
  }

  #next(): number {
    return this.#bytes[this.#place++] ?? unusable();
  }
}
