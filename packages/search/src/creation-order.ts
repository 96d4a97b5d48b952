/** Something that has a place in the order of creation, and may go. */
interface Created {
  readonly created: number;
  gone: boolean;
}

/** Those that are gone are cleared away when they are more than this, and than a quarter of all. */
const MAX_GONE = 64;

/** Entries in the order of their creation, in which they nearly always come. */
export class CreationOrder<Entry extends Created> {
  #entries: Entry[] = [];
  #inOrder = true;
  #gone = 0;

  add(entry: Entry): void {
    if (entry.created < (this.#entries.at(-1)?.created ?? -Infinity)) this.#inOrder = false;
    this.#entries.push(entry);
  }

  /** Marks an entry as gone, and passes over it from now on. */
  remove(entry: Entry): void {
    entry.gone = true;
    this.#gone++;
    if (this.#gone <= MAX_GONE || this.#gone <= this.#entries.length / 4) return;
    this.#entries = this.#entries.filter(({ gone }) => !gone);
    this.#gone = 0;
  }

  /** Those that were created after `created`, oldest first. */
  *after(created: number): Iterable<Entry> {
    const entries = this.#ordered();
    for (let place = placeOf(entries, (entry) => entry.created > created); place < entries.length; place++) {
      const entry = entries[place] as Entry;
      if (!entry.gone) yield entry;
    }
  }

  /** Those that were created before `created`, newest first. */
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

/** The first place at which `isPast` holds, in a list where it holds from some place on. */
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
