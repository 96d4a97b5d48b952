import type { Steps } from '@keepsake/internal';
import { endsStep } from '../snapshot/ends-step.ts';
import type { Entry, EntryView } from './entry.ts';
import { ExpiryQueue } from './expiry-queue.ts';
import { LongList } from './long-list.ts';
import type { SavedEntries } from './saved-entries.ts';
import { SortedEntries } from './sorted-entries.ts';
import { SplitMap } from './split-map.ts';
import { NO_SLOT } from './value-column.ts';

/**
 * The entries of a table: those in memory, and those of a snapshot, which come into memory when they change. Everything in the
 * snapshot was put before everything in memory.
 */
export class Entries<Place> {
  readonly #own = new SplitMap<Entry<Place>>();
  readonly #puttings = new SortedEntries<Entry<Place>>(({ put }) => put);
  readonly #order = new SortedEntries<Entry<Place>>(({ created }) => created);
  readonly #expiry = new ExpiryQueue<Entry<Place>>();
  /** By document of the indexes. */
  readonly #byDocument = new LongList<Entry<Place> | undefined>();
  #saved: SavedEntries<Place> | undefined;
  #puts = 0;

  /** Adds the entries of a snapshot, to a table without any. */
  addSaved(saved: SavedEntries<Place>): void {
    this.#saved = saved;
    this.#puts = saved.rows;
  }

  /** Brings all entries into memory. */
  *loading(): Steps<void> {
    yield* this.#saved?.checkingIds() ?? [];
    for (let row = 0; row < (this.#saved?.rows ?? 0); row++) {
      this.#ownRow(row);
      if (endsStep(row)) yield;
    }
    this.#saved = undefined;
  }

  get size(): number {
    return this.#own.size + (this.#saved?.size ?? 0);
  }

  get(id: string): EntryView<Place> | undefined {
    const own = this.#own.get(id);
    if (own !== undefined || this.#saved === undefined) return own;
    const row = this.#saved.find(id);
    return row === undefined ? undefined : this.#saved.at(row);
  }

  /** The entry of an id, to change it. */
  own(id: string): Entry<Place> | undefined {
    const row = this.#own.has(id) ? undefined : this.#saved?.find(id);
    return row === undefined ? this.#own.get(id) : this.#ownRow(row);
  }

  #ownRow(row: number): Entry<Place> {
    const saved = this.#saved as SavedEntries<Place>;
    const { id, created, place, put, document, expires } = saved.at(row);
    saved.remove(row);
    const entry = this.create(id, created, place);
    this.#putAs(entry, put);
    this.expireAt(entry, expires);
    if (document !== undefined) this.setDocument(entry, document);
    return entry;
  }

  create(id: string, created: number, place: Place): Entry<Place> {
    const entry: Entry<Place> = {
      id,
      created,
      place,
      put: 0,
      document: undefined,
      expires: undefined,
      slot: NO_SLOT,
    };
    this.#own.set(id, entry);
    this.#order.add(entry);
    return entry;
  }

  /** Makes an entry the one that was put last. */
  put(entry: Entry<Place>): void {
    this.#putAs(entry, ++this.#puts);
  }

  #putAs(entry: Entry<Place>, put: number): void {
    if (entry.put > 0) this.#puttings.remove(entry);
    entry.put = put;
    this.#puttings.add(entry);
  }

  /** Removes an entry without a document. */
  remove(entry: Entry<Place>): void {
    this.#puttings.remove(entry);
    entry.put = 0;
    this.#order.remove(entry);
    this.#expiry.set(entry, undefined);
    this.#own.delete(entry.id);
  }

  expireAt(entry: Entry<Place>, expires: number | undefined): void {
    this.#expiry.set(entry, expires);
  }

  /** An expired entry. Returns the same one until it is removed. */
  due(now: number): Entry<Place> | undefined {
    const row = this.#saved?.due(now);
    return row === undefined ? this.#expiry.due(now) : this.#ownRow(row);
  }

  setDocument(entry: Entry<Place>, document: number | undefined): void {
    if (entry.document !== undefined) this.#byDocument.set(entry.document, undefined);
    entry.document = document;
    if (document !== undefined) this.#byDocument.set(document, entry);
  }

  /** The entry of a document that has one. */
  of(document: number): EntryView<Place> {
    const own = this.#byDocument.at(document);
    return own ?? (this.#saved as SavedEntries<Place>).at((this.#saved?.putOf(document) as number) - 1);
  }

  /** The entry in memory, or the row of the snapshot, of a document that has one. */
  find(document: number): Entry<Place> | number {
    return this.#byDocument.at(document) ?? (this.#saved?.putOf(document) as number) - 1;
  }

  /** The put number of a document's entry; 0 if it has none. */
  putOf(document: number): number {
    return this.#byDocument.at(document)?.put ?? this.#saved?.putOf(document) ?? 0;
  }

  /** The entries in the order of their last put. */
  *byPut(): Iterable<EntryView<Place>> {
    for (const row of this.savedRows()) yield (this.#saved as SavedEntries<Place>).at(row);
    yield* this.#puttings;
  }

  /** The documents of the entries in this order, `undefined` for an entry without one. */
  *documentsByPut(): Iterable<number | undefined> {
    for (const row of this.savedRows()) yield this.#saved?.documentOf(row);
    for (const { document } of this.#puttings) yield document;
  }

  /** The rows of the snapshot that are not in memory and not gone, in the order of their last put. */
  savedRows(): Iterable<number> {
    return this.#saved?.rowsByPut() ?? [];
  }

  /** The entries in memory, in the order of their last put. All were put after those of the snapshot. */
  inMemory(): Iterable<Entry<Place>> {
    return this.#puttings;
  }

  /** The entries created after `created`, oldest first. */
  after(created: number): Iterable<EntryView<Place>> {
    const own = this.#order.after(created);
    return this.#saved === undefined
      ? own
      : merged(this.#saved.ordered.after(created), own, (a, b) => a.created <= b.created);
  }

  /** The entries created before `created`, newest first. */
  before(created: number): Iterable<EntryView<Place>> {
    const own = this.#order.before(created);
    return this.#saved === undefined
      ? own
      : merged(this.#saved.ordered.before(created), own, (a, b) => a.created >= b.created);
  }
}

/** Merges two orders. */
export function* merged<T>(one: Iterable<T>, other: Iterable<T>, isFirst: (one: T, other: T) => boolean): Iterable<T> {
  const [left, right] = [one[Symbol.iterator](), other[Symbol.iterator]()];
  let [a, b] = [left.next(), right.next()];
  while (!a.done || !b.done) {
    if (b.done || (!a.done && isFirst(a.value, b.value))) {
      yield a.value;
      a = left.next();
    } else {
      yield b.value;
      b = right.next();
    }
  }
}
