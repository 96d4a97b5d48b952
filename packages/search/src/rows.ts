import { NumberReader, NumberWriter } from './numbers.ts';
import { unusable } from './snapshot.ts';

/** Writes rows of whole numbers, all of one length, each number as its difference to the one above: most take a byte. */
export class RowWriter {
  readonly #numbers = new NumberWriter();
  #above: readonly number[] = [];

  /** Throws a RangeError for a number that is not whole, or not between -2 ** 51 and 2 ** 51. */
  write(row: readonly number[]): void {
    for (const [column, number] of row.entries()) {
      if (!isWritable(number)) throw new RangeError('A snapshot holds whole numbers below 2 ** 51 alone.');
      const difference = number - (this.#above[column] ?? 0);
      // From 0 up, as they are to be: the sign is in the lowest bit.
      this.#numbers.write(difference < 0 ? -2 * difference - 1 : 2 * difference);
    }
    this.#above = row;
  }

  get bytes(): Uint8Array {
    return this.#numbers.bytes;
  }
}

/** Reads what a {@link RowWriter} wrote. */
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

  /** The next row: the same list each time, with other numbers in it. */
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
  // Bit operations, which are quick, as far as they go.
  if (written < 2 ** 31) return (written >>> 1) ^ -(written & 1);
  return written % 2 === 0 ? written / 2 : -(written + 1) / 2;
}

function isWritable(number: number): boolean {
  return Number.isInteger(number) && Math.abs(number) < 2 ** 51;
}
