/** An entry with a creation number. */
interface Created {
  readonly created: number;
}

/** Tells which entries an order has, because one that was removed stays in its list for a while. */
export interface OrderOwner<Entry extends Created> {
  has(entry: Entry, order: CreationOrder<Entry>): boolean;
}

/** Removed entries are swept out once there are more than this, and more than a quarter of all. */
const MAX_GONE = 64;

/** Entries in order of creation, in which they nearly always arrive. */
export class CreationOrder<Entry extends Created> {
  readonly #owner: OrderOwner<Entry>;
  /** With some that were removed. An entry that was removed and added again can be in it twice. */
  #entries: Entry[] = [];
  #inOrder = true;
  #size = 0;

  constructor(owner: OrderOwner<Entry>) {
    this.#owner = owner;
  }

  get size(): number {
    return this.#size;
  }

  has(entry: Entry): boolean {
    return this.#owner.has(entry, this);
  }

  /** Adds an entry that the owner has from now on. */
  add(entry: Entry): void {
    if (entry.created <= (this.#entries.at(-1)?.created ?? -Infinity)) this.#inOrder = false;
    // The first push into an array reserves room for 17, and there may be very many orders of one entry.
    if (this.#entries.length === 0) this.#entries = [entry];
    else this.#entries.push(entry);
    this.#size++;
  }

  /** Notes that the owner no longer has an entry. */
  remove(): void {
    this.#size--;
    const gone = this.#entries.length - this.#size;
    if (gone <= MAX_GONE || gone <= this.#entries.length / 4) return;
    this.#entries = this.#ordered().filter((entry) => this.has(entry));
  }

  /** The entries created after `created`, oldest first. */
  *after(created: number): Iterable<Entry> {
    const entries = this.#ordered();
    for (let place = placeOf(entries, (entry) => entry.created > created); place < entries.length; place++) {
      const entry = entries[place] as Entry;
      if (this.has(entry)) yield entry;
    }
  }

  /** The entries created before `created`, newest first. */
  *before(created: number): Iterable<Entry> {
    const entries = this.#ordered();
    for (let place = placeOf(entries, (entry) => entry.created >= created) - 1; place >= 0; place--) {
      const entry = entries[place] as Entry;
      if (this.has(entry)) yield entry;
    }
  }

  #ordered(): readonly Entry[] {
    if (this.#inOrder) return this.#entries;
    const sorted = this.#entries.sort((a, b) => a.created - b.created);
    this.#entries = sorted.filter((entry, place) => entry !== sorted[place - 1]);
    this.#inOrder = true;
    return this.#entries;
  }
}

/** The first index at which `isPast` holds, by binary search. */
function placeOf<Entry>(entries: readonly Entry[], isPast: (entry: Entry) => boolean): number {
  let from = 0;
  let to = entries.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isPast(entries[middle] as Entry)) to = middle;
    else from = middle + 1;
  }
  return from;
}
