/** An entry with a creation number that can be removed. */
interface Created {
  readonly created: number;
  gone: boolean;
}

/** Removed entries are swept out once there are more than this, and more than a quarter of all. */
const MAX_GONE = 64;

/** Entries in order of creation, in which they nearly always arrive. */
export class CreationOrder<Entry extends Created> {
  #entries: Entry[] = [];
  #inOrder = true;
  #gone = 0;

  add(entry: Entry): void {
    if (entry.created < (this.#entries.at(-1)?.created ?? -Infinity)) this.#inOrder = false;
    this.#entries.push(entry);
  }

  /** Removes an entry. */
  remove(entry: Entry): void {
    entry.gone = true;
    this.#gone++;
    if (this.#gone <= MAX_GONE || this.#gone <= this.#entries.length / 4) return;
    this.#entries = this.#entries.filter(({ gone }) => !gone);
    this.#gone = 0;
  }

  /** The entries created after `created`, oldest first. */
  *after(created: number): Iterable<Entry> {
    const entries = this.#ordered();
    for (let place = placeOf(entries, (entry) => entry.created > created); place < entries.length; place++) {
      const entry = entries[place] as Entry;
      if (!entry.gone) yield entry;
    }
  }

  /** The entries created before `created`, newest first. */
  *before(created: number): Iterable<Entry> {
    const entries = this.#ordered();
    for (let place = placeOf(entries, (entry) => entry.created >= created) - 1; place >= 0; place--) {
      const entry = entries[place] as Entry;
      if (!entry.gone) yield entry;
    }
  }

  #ordered(): readonly Entry[] {
    if (!this.#inOrder) this.#entries.sort((a, b) => a.created - b.created);
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
