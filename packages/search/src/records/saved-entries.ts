import type { Steps } from '@keepsake/internal';
import type { LexicalIndex } from '../lexical/lexical-index.ts';
import { endsStep } from '../snapshot/ends-step.ts';
import { orderBy } from '../snapshot/order-by.ts';
import { isWritable } from '../snapshot/rows.ts';
import { type Pieces, type SectionReader, type Sections, section, unusable } from '../snapshot/snapshot.ts';
import { bytesOf, isMissing, readNumbers, StoredNumbers } from '../snapshot/stored-bytes.ts';
import { packTexts, StoredTexts } from '../snapshot/stored-texts.ts';
import type { EntryView, PlaceFormat } from './entry.ts';
import { SavedOrder } from './saved-order.ts';

/*
 * The entries of a snapshot, one row each, in the order of their last put. A row is read when it is needed. The n-th row, from
 * 1, has the put number n.
 */

/** Stands for a missing time of expiry. */
const NEVER = -1;
/** Stands for a missing document. */
const NO_DOCUMENT = 2 ** 32 - 1;
/** The columns of a row before those of the place: when it was created, and when it expires. */
const FIXED_COLUMNS = 2;
/** How many rows are one piece. */
const PIECE_ROWS = 1_024;

/**
 * The sections of entries. Calls `entries` twice, which must return the same. Throws a RangeError for a number that is not
 * whole, or not between -2 ** 51 and 2 ** 51. Returns the rows in the order of their creation.
 */
export function* packEntries<Place>(
  count: number,
  entries: () => Iterable<EntryView<Place>>,
  format: PlaceFormat<Place>,
): Sections<Uint32Array> {
  const documents = new Uint32Array(count);
  const created = new Float64Array(count);
  const expires = new Float64Array(count);
  const note = (row: number, entry: EntryView<Place>) => {
    documents[row] = entry.document ?? NO_DOCUMENT;
    created[row] = entry.created;
    expires[row] = entry.expires ?? NEVER;
  };
  yield* section('rows', rowsOf(entries(), format, note));
  yield* section('documents', bytesOf(documents));
  const byCreation = yield* orderBy(created);
  // Nothing if none was put again: then the rows are in this order.
  yield* section(
    'by creation',
    bytesOf(byCreation.every((row, place) => row === place) ? new Uint32Array(0) : byCreation),
  );
  yield* section('by expiry', bytesOf(yield* expiringBy(expires)));
  yield* packTexts('ids', idsOf(entries()));
  return byCreation;
}

function* rowsOf<Place>(
  entries: Iterable<EntryView<Place>>,
  format: PlaceFormat<Place>,
  note: (row: number, entry: EntryView<Place>) => void,
): Pieces {
  const columns = FIXED_COLUMNS + format.numbers;
  let piece = new Float64Array(PIECE_ROWS * columns);
  let row = 0;
  for (const entry of entries) {
    const numbers = [entry.created, entry.expires ?? NEVER, ...format.write(entry.place)];
    if (!numbers.every(isWritable)) throw new RangeError('A snapshot can only contain whole numbers below 2 ** 51.');
    piece.set(numbers, (row % PIECE_ROWS) * columns);
    note(row, entry);
    if (++row % PIECE_ROWS > 0) continue;
    yield bytesOf(piece);
    piece = new Float64Array(PIECE_ROWS * columns);
  }
  yield bytesOf(piece.subarray(0, (row % PIECE_ROWS) * columns));
}

/** The rows that expire, in the order in which they do. */
function* expiringBy(expires: Float64Array): Steps<Uint32Array> {
  const rows: number[] = [];
  for (let row = 0; row < expires.length; row++) {
    if (expires[row] !== NEVER) rows.push(row);
    if (endsStep(row)) yield;
  }
  const order = yield* orderBy(Float64Array.from(rows, (row) => expires[row] as number));
  return order.map((place) => rows[place] as number);
}

function* idsOf(entries: Iterable<EntryView<unknown>>): Iterable<string> {
  for (const { id } of entries) yield id;
}

/** The entry of a row. Its id is rarely needed, and slow to read. */
class SavedEntry<Place> implements EntryView<Place> {
  readonly #ids: StoredTexts;
  readonly #row: number;
  readonly created: number;
  readonly place: Place;
  readonly document: number | undefined;
  readonly expires: number | undefined;

  constructor(ids: StoredTexts, row: number, entry: Omit<EntryView<Place>, 'id' | 'put'>) {
    this.#ids = ids;
    this.#row = row;
    this.created = entry.created;
    this.place = entry.place;
    this.document = entry.document;
    this.expires = entry.expires;
  }

  get id(): string {
    return this.#ids.at(this.#row);
  }

  get put(): number {
    return this.#row + 1;
  }
}

/** Reads the output of {@link packEntries}. */
export class SavedEntries<Place> {
  readonly #format: PlaceFormat<Place>;
  readonly #rows: StoredNumbers<Float64Array>;
  readonly #ids: StoredTexts;
  readonly #byCreation: StoredNumbers<Uint32Array>;
  readonly #byExpiry: StoredNumbers<Uint32Array>;
  /** How many of the rows that expire are gone, at least. */
  #expired = 0;
  /** By row. */
  readonly #documents: Uint32Array;
  /** By document: the put number of its row, 0 for none. */
  #puts = new Uint32Array(0);
  /** By row: 1 if the entry is gone. */
  readonly #gone: Uint8Array;
  /** The rows that are gone, in the order in which they went. */
  readonly goneRows: number[] = [];
  /** The number of entries that are not gone. */
  size: number;

  private constructor(section: SectionReader, format: PlaceFormat<Place>, documents: Uint32Array) {
    const count = documents.length;
    this.#format = format;
    this.#documents = documents;
    this.#gone = new Uint8Array(count);
    this.size = count;
    this.#ids = new StoredTexts(section, 'ids', count);
    const columns = FIXED_COLUMNS + format.numbers;
    this.#rows = new StoredNumbers(section('rows'), new Float64Array(columns));
    this.#byCreation = new StoredNumbers(section('by creation'), new Uint32Array(1));
    this.#byExpiry = new StoredNumbers(section('by expiry'), new Uint32Array(1));
    const isWhole =
      this.#rows.count === count * columns &&
      (this.#byCreation.count === count || this.#byCreation.count === 0) &&
      this.#byExpiry.count <= count &&
      Number.isInteger(this.#byExpiry.count);
    if (!isWhole) unusable();
  }

  /** Opens the entries of these documents. */
  static *opening<Place>(
    section: SectionReader,
    format: PlaceFormat<Place>,
    index: Pick<LexicalIndex, 'has' | 'end'>,
  ): Steps<SavedEntries<Place>> {
    const stored = section('documents');
    if (stored.length % Uint32Array.BYTES_PER_ELEMENT !== 0) unusable();
    const documents = new Uint32Array(stored.length / Uint32Array.BYTES_PER_ELEMENT);
    const entries = new SavedEntries(section, format, yield* readNumbers(stored, documents));
    const puts = new Uint32Array(index.end);
    for (let row = 0; row < documents.length; row++) {
      const document = documents[row] as number;
      if (document !== NO_DOCUMENT) {
        if (!index.has(document) || puts[document] !== 0) unusable();
        puts[document] = row + 1;
      }
      if (endsStep(row)) yield;
    }
    entries.#puts = puts;
    return entries;
  }

  /** The number of rows. */
  get rows(): number {
    return this.#documents.length;
  }

  /** The row of an id, or `undefined` if there is none or it is gone. */
  find(id: string): number | undefined {
    const row = this.#ids.find(id);
    return row === undefined || this.isGone(row) ? undefined : row;
  }

  /** The entry of a row, whether it is gone or not. */
  at(row: number): EntryView<Place> {
    const numbers = this.#numbersOf(row);
    for (let column = 0; column < numbers.length; column++) if (!isWritable(numbers[column] as number)) unusable();
    const expires = numbers[1] as number;
    const place = this.#format.read(Array.from(numbers.subarray(FIXED_COLUMNS)));
    return new SavedEntry(this.#ids, row, {
      created: numbers[0] as number,
      place,
      document: this.documentOf(row),
      expires: expires === NEVER ? undefined : expires,
    });
  }

  #numbersOf(row: number): Float64Array {
    try {
      return this.#rows.at(row * (FIXED_COLUMNS + this.#format.numbers));
    } catch (error) {
      // The id will be wanted, too.
      if (isMissing(error)) this.#ids.want(row);
      throw error;
    }
  }

  documentOf(row: number): number | undefined {
    const document = this.#documents[row] as number;
    return document === NO_DOCUMENT ? undefined : document;
  }

  /** The put number of a document's entry, or 0 if it is gone. */
  putOf(document: number): number {
    return this.#puts[document] ?? 0;
  }

  isGone(row: number): boolean {
    return this.#gone[row] === 1;
  }

  /** Notes that an entry is gone. */
  remove(row: number): void {
    this.#gone[row] = 1;
    this.goneRows.push(row);
    this.size--;
    const document = this.documentOf(row);
    if (document !== undefined) this.#puts[document] = 0;
  }

  /** A row that has expired. Returns the same one until it is removed. */
  due(now: number): number | undefined {
    for (; this.#expired < this.#byExpiry.count; this.#expired++) {
      const row = this.#rowIn(this.#byExpiry, this.#expired);
      if (this.isGone(row)) continue;
      return (this.at(row).expires as number) <= now ? row : undefined;
    }
    return undefined;
  }

  /** The rows that are not gone, in the order of their last put. */
  *rowsByPut(): Iterable<number> {
    for (let row = 0; row < this.rows; row++) if (!this.isGone(row)) yield row;
  }

  /** In the order of their creation. */
  get ordered(): SavedOrder<Place> {
    const rowAt =
      this.#byCreation.count === 0 ? (place: number) => place : (place: number) => this.#rowIn(this.#byCreation, place);
    return new SavedOrder(this, rowAt, 0, this.rows);
  }

  /** Refuses ids that lead to other rows. */
  *checkingIds(): Steps<void> {
    for (let row = 0; row < this.rows; row++) {
      if (this.#ids.find(this.#ids.at(row)) !== row) unusable();
      if (endsStep(row)) yield;
    }
  }

  #rowIn(order: StoredNumbers<Uint32Array>, place: number): number {
    const [row = 0] = order.at(place);
    return row < this.rows ? row : unusable();
  }
}
