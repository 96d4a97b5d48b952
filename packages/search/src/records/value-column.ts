import { LongList } from './long-list.ts';
import { SortedEntries } from './sorted-entries.ts';

/** An entry as the columns of an index see it. */
export interface Slotted {
  readonly created: number;
  /** Its row in the columns; {@link NO_SLOT} if it has none. */
  slot: number;
}

export const NO_SLOT = -1;

/** The entries that have the same value in a field, in the order of creation. */
export class EntriesOfValue<Entry extends Slotted> extends SortedEntries<Entry> {
  readonly value: string;
  readonly #column: ValueColumn<Entry>;

  constructor(value: string, column: ValueColumn<Entry>) {
    super(createdOf);
    this.value = value;
    this.#column = column;
  }

  has(entry: Entry): boolean {
    return this.#column.of(entry) === this;
  }
}

function createdOf({ created }: Slotted): number {
  return created;
}

/** The values of one field: which entries have a value, and which value an entry has. */
export class ValueColumn<Entry extends Slotted> {
  readonly #byValue = new Map<string, EntriesOfValue<Entry>>();
  readonly #bySlot = new LongList<EntriesOfValue<Entry> | undefined>();

  /** Gives an entry another value, or none. */
  set(entry: Entry, value: string | undefined): void {
    const before = this.#bySlot.at(entry.slot);
    if (before?.value === value) return;
    this.#bySlot.set(entry.slot, undefined);
    before?.remove(entry);
    if (before?.size === 0) this.#byValue.delete(before.value);
    if (value !== undefined) this.#add(entry, value);
  }

  #add(entry: Entry, value: string): void {
    const entries = this.entriesOf(value);
    if (entries.size === 0) this.#byValue.set(value, entries);
    this.#bySlot.set(entry.slot, entries);
    entries.add(entry);
  }

  /** The value of an entry, with all entries that have it. */
  of({ slot }: Entry): EntriesOfValue<Entry> | undefined {
    return this.#bySlot.at(slot);
  }

  /** The entries that have a value. */
  entriesOf(value: string): EntriesOfValue<Entry> {
    return this.#byValue.get(value) ?? new EntriesOfValue(value, this);
  }
}
