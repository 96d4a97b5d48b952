import { merged } from './entries.ts';
import type { Entry, EntryView } from './entry.ts';
import { NO_VALUE, type SavedField } from './saved-fields.ts';
import type { EntriesOfValue } from './value-column.ts';

/** The entries that have a value in an indexed field: those in memory, and those of a snapshot. */
export class Candidates<Place> {
  readonly #own: EntriesOfValue<Entry<Place>>;
  readonly #saved: SavedField<Place> | undefined;
  /** The number of the value. */
  readonly #number: number;
  readonly size: number;

  constructor(own: EntriesOfValue<Entry<Place>>, saved: SavedField<Place> | undefined) {
    this.#own = own;
    this.#saved = saved;
    this.#number = saved?.find(own.value) ?? NO_VALUE;
    this.size = own.size + (saved?.count(this.#number) ?? 0);
  }

  /** Whether an entry in memory, or a row of the snapshot, is among them. */
  has(entry: Entry<Place> | number): boolean {
    if (typeof entry !== 'number') return this.#own.has(entry);
    return this.#number !== NO_VALUE && this.#saved?.numberOf(entry) === this.#number;
  }

  /** The entries created after `created`, oldest first. */
  after(created: number): Iterable<EntryView<Place>> {
    const own = this.#own.after(created);
    const saved = this.#saved?.rowsOf(this.#number).after(created);
    return saved === undefined ? own : merged(saved, own, (a, b) => a.created <= b.created);
  }

  /** The entries created before `created`, newest first. */
  before(created: number): Iterable<EntryView<Place>> {
    const own = this.#own.before(created);
    const saved = this.#saved?.rowsOf(this.#number).before(created);
    return saved === undefined ? own : merged(saved, own, (a, b) => a.created >= b.created);
  }

  /** Their documents, in no order. */
  *documents(): Iterable<number> {
    for (const row of this.#saved?.rowsOf(this.#number).present() ?? []) {
      const document = this.#saved?.documentOf(row);
      if (document !== undefined) yield document;
    }
    for (const { document } of this.#own.after(-Infinity)) if (document !== undefined) yield document;
  }
}
