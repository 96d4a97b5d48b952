import { NumberReader, NumberWriter } from './numbers.ts';
import { unusable } from './snapshot.ts';

/** Writes rows of whole numbers of the same length as deltas to the row above, so that most take one byte. */
export class RowWriter {
  readonly #numbers = new NumberWriter();
  #above: readonly number[] = [];

  /** Throws a RangeError for a number that is not whole, or not between -2 ** 51 and 2 ** 51. */
  write(row: readonly number[]): void {
    for (const [column, number] of row.entries()) {
      if (!isWritable(number)) throw new RangeError('A snapshot can only contain whole numbers below 2 ** 51.');
      const difference = number - (this.#above[column] ?? 0);
      // From 0 up, as they must be: the sign is in the lowest bit.
      this.#numbers.write(difference < 0 ? -2 * difference - 1 : 2 * difference);
    }
    this.#above = row;
  }

  get bytes(): Uint8Array {
    return this.#numbers.bytes;
  }
}

/** Reads the output of a {@link RowWriter}. */
export class RowReader {
  readonly #numbers: NumberReader;
  readonly #row: number[];

  constructor(bytes: Uint8Array, columns: number) {
    this.#numbers = new NumberReader(bytes);
    this.#row = new Array<number>(columns).fill(0);
  }

  get atEnd(): boolean {
    return this.#numbers.atEnd;
  }

  /** The next row. Reuses the same array. */
  read(): readonly number[] {
    const row = this.#row;
    for (let column = 0; column < row.length; column++) {
      const number = (row[column] as number) + differenceOf(this.#numbers.read());
      row[column] = isWritable(number) ? number : unusable();
    }
    return row;
  }
}

function differenceOf(written: number): number {
  // Bit operations are faster, but only up to 32 bits.
  if (written < 2 ** 31) return (written >>> 1) ^ -(written & 1);
  return written % 2 === 0 ? written / 2 : -(written + 1) / 2;
}

/** Whether a snapshot can contain a number: whole, and between -2 ** 51 and 2 ** 51. */
export function isWritable(number: number): boolean {
  return Number.isInteger(number) && Math.abs(number) < 2 ** 51;
}
