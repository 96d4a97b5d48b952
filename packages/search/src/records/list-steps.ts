import { type FilterRule, matchesFilter } from '@keepsake/core/adapter';
import { STEP_MS } from '@keepsake/internal';
import type { StoredRecord } from './stored-record.ts';

/** A record that may be on a page. */
interface Listed {
  readonly id: string;
  readonly created: number;
}

/** Where to look for the records of a page. */
export interface Listable<Entry extends Listed = Listed> {
  /** What the numbers of changes belong to. */
  readonly table: object;
  /** How many changes there have been. */
  readonly changes: number;
  /** The ids that changed after a number of changes; `undefined` if they are not known any more. */
  changedSince(changes: number): readonly string[] | undefined;
  /** Whether a record with a creation number comes after another in the order of the list. */
  isAfter(created: number, other: number): boolean;
  /** The records that come after a creation number in the order of the list, or all of them. */
  after(created: number | undefined): Iterable<Entry>;
  /** Reads a record that `after` returned just before. */
  read(entry: Entry): StoredRecord;
  /** Reads a record, if it is still there. */
  get(id: string): StoredRecord | undefined;
}

/** Which records are on a page. */
export interface Listing {
  readonly limit: number;
  readonly idPrefix: string;
  readonly rules: readonly FilterRule[];
}

export interface ListedPage {
  readonly page: readonly StoredRecord[];
  readonly isLast: boolean;
}

/** How many records without the prefix are passed over between two looks at the clock. */
const UNTIMED = 256;

/**
 * A page that is filled in steps, between which records can change. It is complete once it is what a list in one step would
 * return.
 */
export class ListSteps {
  readonly #stepMs: number;
  #table: object | undefined;
  #changes = 0;
  #page: StoredRecord[] = [];
  /** The creation number of the last record that was looked at. */
  #from: number | undefined;

  /** @param stepMs - `Infinity` for a list in one step. */
  constructor(stepMs = STEP_MS) {
    this.#stepMs = stepMs;
  }

  /** Runs the next step. Returns the page, or `undefined` if there must be another step. */
  next<Entry extends Listed>(
    records: Listable<Entry>,
    start: number | undefined,
    listing: Listing,
  ): ListedPage | undefined {
    const { limit, idPrefix, rules } = listing;
    const until = performance.now() + this.#stepMs;
    this.#catchUp(records, start, listing);
    if (this.#page.length > limit) return this.#full(limit);
    const isWhole = idPrefix === '' && rules.length === 0;
    let passed = 0;
    for (const entry of records.after(this.#from)) {
      if (this.#page.length === limit && isWhole) return this.#full(limit);
      const isNamed = idPrefix === '' || entry.id.startsWith(idPrefix);
      const record = isNamed ? passing(records.read(entry), rules) : undefined;
      this.#from = entry.created;
      if (record !== undefined) this.#page.push(record);
      // Reads at most one record beyond the page, and only with a filter.
      if (this.#page.length > limit) return this.#full(limit);
      const isTimed = !isWhole && (idPrefix === '' || ++passed % UNTIMED === 0);
      if (isTimed && performance.now() >= until) return undefined;
    }
    return { page: this.#page, isLast: true };
  }

  #full(limit: number): ListedPage {
    return { page: this.#page.slice(0, limit), isLast: false };
  }

  /** Looks again at what has changed since the last step. */
  #catchUp<Entry extends Listed>(
    records: Listable<Entry>,
    start: number | undefined,
    { idPrefix, rules }: Listing,
  ): void {
    const changed = records.table === this.#table ? records.changedSince(this.#changes) : undefined;
    this.#table = records.table;
    this.#changes = records.changes;
    const from = this.#from;
    if (changed === undefined || from === undefined) {
      this.#page = [];
      this.#from = start;
      return;
    }
    const isChanged = new Set(changed);
    if (isChanged.size === 0) return;
    this.#page = this.#page.filter(({ id }) => !isChanged.has(id));
    for (const id of isChanged) {
      const record = id.startsWith(idPrefix) ? records.get(id) : undefined;
      const isHere =
        record !== undefined &&
        !records.isAfter(record.created, from) &&
        (start === undefined || records.isAfter(record.created, start));
      if (isHere && passing(record, rules) !== undefined) this.#page.push(record);
    }
    this.#page.sort((a, b) => (records.isAfter(a.created, b.created) ? 1 : -1));
  }
}

function passing(record: StoredRecord | undefined, rules: readonly FilterRule[]): StoredRecord | undefined {
  return record !== undefined && matchesFilter(rules, record) ? record : undefined;
}
