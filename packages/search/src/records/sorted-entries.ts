/** A part with more entries is cut in two. */
const MOST = 1_024;

/**
 * Entries by rising numbers, which new entries nearly always continue. Each change moves at most the entries of one part,
 * however many there are.
 */
export class SortedEntries<Entry> implements Iterable<Entry> {
  readonly #numberOf: (entry: Entry) => number;
  /** None is empty. */
  readonly #parts: Entry[][] = [];
  #size = 0;
  #changes = 0;

  /** @param numberOf - The number of an entry, which must not change while it is in here. */
  constructor(numberOf: (entry: Entry) => number) {
    this.#numberOf = numberOf;
  }

  get size(): number {
    return this.#size;
  }

  add(entry: Entry): void {
    this.#size++;
    this.#changes++;
    const last = this.#parts.at(-1);
    // An array that begins with an entry takes less memory than an empty one that grows.
    if (last === undefined) this.#parts.push([entry]);
    else if (this.#numberOf(last.at(-1) as Entry) > this.#numberOf(entry)) this.#insert(entry);
    else if (last.length < MOST) last.push(entry);
    else this.#parts.push([entry]);
  }

  /** Removes an entry, if it is in here. */
  remove(entry: Entry): void {
    const number = this.#numberOf(entry);
    let place = this.#placeOf((other) => this.#numberOf(other) >= number);
    for (; ; place = this.#next(place)) {
      const candidate = this.#parts[place.part]?.[place.at];
      if (candidate === entry) break;
      if (candidate === undefined || this.#numberOf(candidate) > number) return;
    }
    const part = this.#parts[place.part] as Entry[];
    part.splice(place.at, 1);
    if (part.length === 0) this.#parts.splice(place.part, 1);
    this.#size--;
    this.#changes++;
  }

  /** All entries by rising numbers. Like the others below, this goes on from the same number if entries change meanwhile. */
  [Symbol.iterator](): Iterator<Entry> {
    return this.after(-Infinity)[Symbol.iterator]();
  }

  /** The entries above a number, by rising numbers. */
  *after(number: number): Iterable<Entry> {
    const isPast = (entry: Entry) => this.#numberOf(entry) > number;
    let place = this.#placeOf(isPast);
    for (let changes = this.#changes; ; place = this.#next(place)) {
      if (changes !== this.#changes) place = this.#placeOf(isPast);
      changes = this.#changes;
      const entry = this.#parts[place.part]?.[place.at];
      if (entry === undefined) return;
      number = this.#numberOf(entry);
      yield entry;
    }
  }

  /** The entries below a number, by falling numbers. */
  *before(number: number): Iterable<Entry> {
    const isReached = (entry: Entry) => this.#numberOf(entry) >= number;
    let place = this.#previous(this.#placeOf(isReached));
    for (let changes = this.#changes; ; place = this.#previous(place)) {
      if (changes !== this.#changes) place = this.#previous(this.#placeOf(isReached));
      changes = this.#changes;
      const entry = this.#parts[place.part]?.[place.at];
      if (entry === undefined) return;
      number = this.#numberOf(entry);
      yield entry;
    }
  }

  #insert(entry: Entry): void {
    const { part, at } = this.#placeOf((other) => this.#numberOf(other) > this.#numberOf(entry));
    const entries = this.#parts[part] as Entry[];
    entries.splice(at, 0, entry);
    if (entries.length > MOST) this.#parts.splice(part + 1, 0, entries.splice(MOST / 2));
  }

  /** Where the first entry is for which `isPast` holds, or behind the last one. */
  #placeOf(isPast: (entry: Entry) => boolean): Place {
    const part = firstIn(this.#parts, (entries) => isPast(entries.at(-1) as Entry));
    return { part, at: firstIn(this.#parts[part] ?? [], isPast) };
  }

  #next({ part, at }: Place): Place {
    return at + 1 < (this.#parts[part]?.length ?? 0) ? { part, at: at + 1 } : { part: part + 1, at: 0 };
  }

  #previous({ part, at }: Place): Place {
    return at > 0 ? { part, at: at - 1 } : { part: part - 1, at: (this.#parts[part - 1]?.length ?? 0) - 1 };
  }
}

interface Place {
  readonly part: number;
  readonly at: number;
}

/** The first index of a sorted list at which `isPast` holds, or its length. */
export function firstIn<T>(list: readonly T[], isPast: (item: T) => boolean): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isPast(list[middle] as T)) to = middle;
    else from = middle + 1;
  }
  return from;
}
