import { CreationOrder, type OrderOwner } from './creation-order.ts';

/** An entry as the columns of an index see it. */
export interface Slotted {
  readonly created: number;
  /** Its row in the columns; {@link NO_SLOT} if it has none. */
  slot: number;
}

export const NO_SLOT = -1;

/** The entries that have the same value in a field. */
export class EntriesOfValue<Entry extends Slotted> extends CreationOrder<Entry> {
  readonly value: string;

  constructor(value: string, owner: OrderOwner<Entry>) {
    super(owner);
    this.value = value;
  }
}

/** The values of one field: which entries have a value, and which value an entry has. */
export class ValueColumn<Entry extends Slotted> implements OrderOwner<Entry> {
  readonly #byValue = new Map<string, EntriesOfValue<Entry>>();
  readonly #bySlot: (EntriesOfValue<Entry> | undefined)[] = [];

  has({ slot }: Entry, order: CreationOrder<Entry>): boolean {
    return this.#bySlot[slot] === order;
  }

  /** Gives an entry another value, or none. */
  set(entry: Entry, value: string | undefined): void {
    const before = this.#bySlot[entry.slot];
    if (before?.value === value) return;
    this.#bySlot[entry.slot] = undefined;
    before?.remove();
    if (before?.size === 0) this.#byValue.delete(before.value);
    if (value !== undefined) this.#add(entry, value);
  }

  #add(entry: Entry, value: string): void {
    const entries = this.entriesOf(value);
    if (entries.size === 0) this.#byValue.set(value, entries);
    this.#bySlot[entry.slot] = entries;
    entries.add(entry);
  }

  /** The value of an entry, with all entries that have it. */
  of({ slot }: Entry): EntriesOfValue<Entry> | undefined {
    return this.#bySlot[slot];
  }

  /** The entries that have a value. */
  entriesOf(value: string): EntriesOfValue<Entry> {
    return this.#byValue.get(value) ?? new EntriesOfValue(value, this);
  }
}
