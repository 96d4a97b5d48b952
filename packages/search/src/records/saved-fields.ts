import type { Steps } from '@keepsake/internal';
import { endsStep } from '../snapshot/ends-step.ts';
import { orderByNumber } from '../snapshot/order-by.ts';
import { type SectionReader, type Sections, section, unusable } from '../snapshot/snapshot.ts';
import { bytesOf, readNumbers, StoredNumbers } from '../snapshot/stored-bytes.ts';
import { packTexts, StoredTexts } from '../snapshot/stored-texts.ts';
import type { SavedEntries } from './saved-entries.ts';
import { SavedOrder } from './saved-order.ts';

/*
 * The values of an indexed field in a snapshot, numbered from 1: the number of each row, the rows of each value in the order of
 * their creation, and the values. Only the numbers are read when the snapshot is opened.
 */

/** The number of a row without a value. */
export const NO_VALUE = 0;

/** The sections of one field. `numbers` are those of the rows, `values` the values in their order. */
export function* packField(
  field: number,
  numbers: Uint32Array,
  values: Iterable<string>,
  byCreation: Uint32Array,
): Sections {
  yield* section(`numbers of field ${field}`, bytesOf(numbers));
  const { order, ends } = yield* orderByNumber(numbers, byCreation);
  // Rows without a value come first.
  yield* section(`rows of field ${field}`, bytesOf(order.subarray(ends[NO_VALUE])));
  yield* section(`ends of field ${field}`, bytesOf(ends.map((end) => end - (ends[NO_VALUE] as number))));
  yield* packTexts(`values of field ${field}`, values);
}

/** Reads the output of {@link packField}. */
export class SavedField<Place> {
  readonly #entries: SavedEntries<Place>;
  /** By row. */
  readonly #numbers: Uint32Array;
  readonly #rows: StoredNumbers<Uint32Array>;
  /** By number of a value: the end of its rows. */
  readonly #ends: StoredNumbers<Uint32Array>;
  readonly #values: StoredTexts;
  /** By number of a value: how many of its rows are gone. */
  readonly #gone = new Map<number, number>();
  /** How many of the rows that are gone have been counted. */
  #counted = 0;

  private constructor(field: number, section: SectionReader, entries: SavedEntries<Place>, numbers: Uint32Array) {
    this.#entries = entries;
    this.#numbers = numbers;
    this.#rows = new StoredNumbers(section(`rows of field ${field}`), new Uint32Array(1));
    this.#ends = new StoredNumbers(section(`ends of field ${field}`), new Uint32Array(1));
    if (!Number.isInteger(this.#ends.count) || this.#ends.count === 0) unusable();
    this.#values = new StoredTexts(section, `values of field ${field}`, this.#ends.count - 1);
  }

  static *opening<Place>(
    field: number,
    section: SectionReader,
    entries: SavedEntries<Place>,
  ): Steps<SavedField<Place>> {
    const stored = section(`numbers of field ${field}`);
    const numbers = new Uint32Array(entries.rows);
    if (stored.length !== numbers.byteLength) unusable();
    const opened = new SavedField(field, section, entries, yield* readNumbers(stored, numbers));
    const { count } = opened.#values;
    for (let row = 0; row < numbers.length; row++) {
      if ((numbers[row] as number) > count) unusable();
      if (endsStep(row)) yield;
    }
    return opened;
  }

  /** The number of a row's value. */
  numberOf(row: number): number {
    return this.#numbers[row] as number;
  }

  documentOf(row: number): number | undefined {
    return this.#entries.documentOf(row);
  }

  /** The number of a value; {@link NO_VALUE} if no row had it. */
  find(value: string): number {
    const place = this.#values.find(value);
    return place === undefined ? NO_VALUE : place + 1;
  }

  valueOf(number: number): string {
    return this.#values.at(number - 1);
  }

  /** All values in the order of their numbers. */
  allValues(): string[] {
    return Array.from({ length: this.#values.count }, (_, n) => this.valueOf(n + 1));
  }

  /** How many rows that are not gone have a value. */
  count(number: number): number {
    if (number === NO_VALUE) return 0;
    const { goneRows } = this.#entries;
    for (; this.#counted < goneRows.length; this.#counted++) {
      const gone = this.numberOf(goneRows[this.#counted] as number);
      this.#gone.set(gone, (this.#gone.get(gone) ?? 0) + 1);
    }
    return this.#endOf(number) - this.#endOf(number - 1) - (this.#gone.get(number) ?? 0);
  }

  /** The rows that have a value. */
  rowsOf(number: number): SavedOrder<Place> {
    const rowAt = (place: number) => {
      const [row = 0] = this.#rows.at(place);
      return this.#numbers[row] === number ? row : unusable();
    };
    const isNone = number === NO_VALUE;
    return new SavedOrder(this.#entries, rowAt, isNone ? 0 : this.#endOf(number - 1), isNone ? 0 : this.#endOf(number));
  }

  #endOf(number: number): number {
    const [end = 0] = this.#ends.at(number);
    return end <= this.#rows.count ? end : unusable();
  }
}
