import {
  type FilterRule,
  type ListOptions,
  type MemoryEntry,
  MemoryError,
  type MemoryRecord,
  matchesFilter,
  type Page,
  type PreparedRecord,
  pageLimit,
  parseFilter,
  readCursor,
  uuidv7,
  writeCursor,
} from '@keepsake/core';
import { searchConversations } from './conversation-ranking.ts';
import { CreationOrder } from './creation-order.ts';
import { ExpiryQueue } from './expiry-queue.ts';
import { FeatureTable, featuresOf } from './features.ts';
import type { Language } from './language.ts';
import { LexicalIndex } from './lexical-index.ts';
import { comparedMeaning } from './meaning.ts';
import { packFeatures, unpackFeatures } from './pack-features.ts';
import { packIds, unpackIds } from './pack-ids.ts';
import { RowReader, RowWriter } from './rows.ts';
import { ifUsable, readSnapshot, type SectionReader, unusable, writeSnapshot } from './snapshot.ts';
import { revise, type StoredRecord, toEntry, toRecord } from './stored-record.ts';
import { VectorIndex } from './vector-index.ts';

/** How to make a table. */
export interface RecordTableOptions<Place> {
  /** The length of the vectors; missing where the table has none. */
  readonly dimensions?: number;
  /** The language of the records and the queries. By default each text is of the one that it seems to be in. */
  readonly language?: Language | undefined;
  /** Gives the record that was put at a place. What it throws, the caller of the table gets; nothing has changed then. */
  readonly read: (place: Place) => StoredRecord;
}

/** How a place is written down in a snapshot: as whole numbers between -2 ** 51 and 2 ** 51. */
export interface PlaceFormat<Place> {
  /** How many numbers a place takes. */
  readonly numbers: number;
  write(place: Place): readonly number[];
  read(numbers: readonly number[]): Place;
}

/** What to look for in a table. */
export interface TableSearch {
  readonly query: string;
  /** The query as a vector, where the table has vectors. */
  readonly vector?: Float32Array;
  readonly limit: number;
  readonly rules: readonly FilterRule[];
  readonly minScore?: number;
  /** Whether the entries are to say how their scores came about. Default false. */
  readonly explain?: boolean;
  /** What "yesterday" in the query is counted from. By default the present. */
  readonly now?: Date;
}

/** What a table knows of a record without reading it. */
interface Entry<Place> {
  readonly id: string;
  readonly created: number;
  place: Place;
  /** Its number among all that were put: of two, the higher was put later. */
  put: number;
  /** Its document in the indexes; `undefined` where it is in none. */
  document: number | undefined;
  expires: number | undefined;
  gone: boolean;
}

type Passes = (document: number) => boolean;

/** In the place of a document or a time in a snapshot. */
const NONE = -1;

/**
 * The records of one namespace, with the indexes over them. The table holds of each where it is kept, its `Place`, and
 * reads it when it is asked for: a place may be the record itself, or a stretch of a file. Nothing in here waits, so
 * every method is atomic.
 *
 * Records that have expired are there until {@link RecordTable.expire} is called.
 */
export class RecordTable<Place = StoredRecord> {
  readonly #dimensions: number | undefined;
  readonly #read: (place: Place) => StoredRecord;
  readonly #entries = new Map<string, Entry<Place>>();
  readonly #order = new CreationOrder<Entry<Place>>();
  readonly #expiry = new ExpiryQueue<Entry<Place>>();
  readonly #language: Language | undefined;
  #lexical: LexicalIndex;
  readonly #features = new FeatureTable();
  #vectors: VectorIndex<number> | undefined;
  /** By document of both indexes. */
  readonly #indexed: (Entry<Place> | undefined)[] = [];
  #created = 0;
  #puts = 0;

  constructor(options: RecordTableOptions<Place>) {
    const { dimensions, language, read } = options;
    this.#dimensions = dimensions;
    this.#language = language;
    this.#lexical = new LexicalIndex({ language });
    this.#read = read;
    this.#vectors = dimensions === undefined ? undefined : new VectorIndex({ dimensions });
  }

  /**
   * The table of a snapshot: it has the same records at the same places, and finds the same. None of them is read:
   * whether they are still there is for the caller to know. `undefined` for bytes that are no whole snapshot, or one of
   * other dimensions, of another language, or of a version that stored or analysed otherwise: put the records anew then.
   * A byte that has changed may go unnoticed; at worst, other records are found, or looked for at other places.
   */
  static restore<Place>(
    bytes: Uint8Array,
    format: PlaceFormat<Place>,
    options: RecordTableOptions<Place>,
  ): RecordTable<Place> | undefined {
    const table = new RecordTable(options);
    return ifUsable(() => {
      table.#restore(readSnapshot(table.#kind(format), bytes), format);
      return table;
    });
  }

  /**
   * All of the table as bytes, for machines of the same byte order: ids, places and indexes, but no record. Throws a
   * RangeError for a number that does not fit in.
   */
  snapshot(format: PlaceFormat<Place>): Uint8Array {
    const entries = this.#byPut();
    const rows = new RowWriter();
    const created = new RowWriter();
    created.write([this.#created]);
    for (const { created, document = NONE, expires = NONE, place } of entries) {
      rows.write([created, document, expires, ...format.write(place)]);
    }
    return writeSnapshot(this.#kind(format), {
      created: created.bytes,
      ...packIds(entries.map(({ id }) => id)),
      entries: rows.bytes,
      ...packFeatures(
        entries.map(({ document }) => (document === undefined ? undefined : this.#features.of(document))),
      ),
      words: this.#lexical.snapshot(),
      ...(this.#vectors === undefined ? {} : { vectors: this.#vectors.snapshot() }),
    });
  }

  get size(): number {
    return this.#entries.size;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  get(id: string): StoredRecord | undefined {
    const entry = this.#entries.get(id);
    return entry && this.#read(entry.place);
  }

  /** The highest place in the order of creation that a record ever had. */
  get created(): number {
    return this.#created;
  }

  /** Gives no new record a place up to `created` in the order of creation. */
  createAfter(created: number): void {
    this.#created = Math.max(this.#created, created);
  }

  /**
   * Where the records are, in the order in which they were put last. A table to which they are put in this order finds
   * the same: of records that fit a search equally well, the newest comes first.
   */
  places(): readonly { readonly id: string; readonly place: Place }[] {
    return this.#byPut().map(({ id, place }) => ({ id, place }));
  }

  /** What the records will be once `inputs` are put one after the other. Changes nothing. */
  revise(inputs: readonly PreparedRecord[], now: Date): StoredRecord[] {
    const revised = new Map<string, StoredRecord>();
    let created = this.#created;
    return inputs.map((input) => {
      const id = input.id ?? uuidv7();
      const before = revised.get(id) ?? this.get(id);
      const after = revise(before, id, input, now, before?.created ?? ++created);
      revised.set(id, after);
      return after;
    });
  }

  /**
   * Creates or replaces a record, and gives the place that it had before. A table with vectors searches a record without
   * one by its words alone.
   */
  put(record: StoredRecord, place: Place, vector?: Float32Array): Place | undefined {
    const { id, created } = record;
    let entry = this.#entries.get(id);
    const former = entry?.place;
    if (entry !== undefined && entry.created !== created) {
      // That one went without being deleted here: it had expired, or the line that deletes it is damaged.
      this.#remove(entry);
      entry = undefined;
    }
    entry ??= this.#create(id, created, place);
    this.#unindex(entry);
    entry.place = place;
    entry.put = ++this.#puts;
    this.#expiry.set(entry, expiryOf(record));
    if (record.index) this.#index(entry, record, vector);
    return former;
  }

  /** Removes a record, and gives the place that it had; `undefined` where it was not there. */
  delete(id: string): Place | undefined {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#remove(entry);
    return entry?.place;
  }

  /** Removes the records whose time has come, and gives the places that they had. */
  expire(now: number): Place[] {
    const places: Place[] = [];
    for (let entry = this.#expiry.due(now); entry !== undefined; entry = this.#expiry.due(now)) {
      this.#remove(entry);
      places.push(entry.place);
    }
    return places;
  }

  /** A page of the records in the order of their creation, as copies. */
  list(options?: ListOptions): Page<MemoryRecord> {
    const limit = pageLimit(options);
    const rules = parseFilter(options?.filter);
    const { order = 'newest' } = options ?? {};
    if (order !== 'newest' && order !== 'oldest') {
      throw new MemoryError('INVALID_ARGUMENT', "order is to be 'newest' or 'oldest'.");
    }
    const kind = `records ${order}`;
    const [from] = (readCursor(options?.cursor, kind, ['number']) as [number] | undefined) ?? [];
    const entries = order === 'oldest' ? this.#order.after(from ?? -Infinity) : this.#order.before(from ?? Infinity);
    const { page, isLast } = this.#page(entries, rules, limit);
    const items = page.map(toRecord);
    const last = page.at(-1);
    return isLast || last === undefined ? { items } : { items, cursor: writeCursor(kind, [last.created]) };
  }

  /** The records that fit, best first, as copies; ties by newest. See {@link searchConversations}. */
  search(search: TableSearch): MemoryEntry[] {
    const { query, vector, limit, rules, minScore = -Infinity, explain = false, now = new Date() } = search;
    const compared = vector === undefined ? undefined : this.#vectors?.compare(vector);
    const { hits, words } = searchConversations(this.#lexical, this.#features, query, {
      ...{ limit, minScore, explain, now },
      ...(rules.length === 0 ? {} : { filter: this.#passing(rules) }),
      ...(compared === undefined ? {} : { meaning: comparedMeaning(compared) }),
    });
    const searched = { words, language: this.#language };
    return hits.map(({ document, ...hit }) => toEntry(this.#read(this.#entryOf(document).place), hit, searched));
  }

  /** A filter for the indexes, which may both ask about a record: it is read once. */
  #passing(rules: readonly FilterRule[]): Passes {
    const known = new Map<number, boolean>();
    return (document) => {
      const passes = known.get(document) ?? matchesFilter(rules, this.#read(this.#entryOf(document).place));
      known.set(document, passes);
      return passes;
    };
  }

  /** Reads no more than it must: one record beyond the page, and that only where there is a filter. */
  #page(
    entries: Iterable<Entry<Place>>,
    rules: readonly FilterRule[],
    limit: number,
  ): { readonly page: StoredRecord[]; readonly isLast: boolean } {
    const page: StoredRecord[] = [];
    for (const { place } of entries) {
      if (page.length === limit && rules.length === 0) return { page, isLast: false };
      const record = this.#read(place);
      if (!matchesFilter(rules, record)) continue;
      if (page.length === limit) return { page, isLast: false };
      page.push(record);
    }
    return { page, isLast: true };
  }

  #create(id: string, created: number, place: Place): Entry<Place> {
    const entry: Entry<Place> = { id, created, place, put: 0, document: undefined, expires: undefined, gone: false };
    this.#entries.set(id, entry);
    this.#order.add(entry);
    this.createAfter(created);
    return entry;
  }

  #remove(entry: Entry<Place>): void {
    this.#unindex(entry);
    this.#order.remove(entry);
    this.#expiry.set(entry, undefined);
    this.#entries.delete(entry.id);
  }

  #index(entry: Entry<Place>, record: StoredRecord, vector: Float32Array | undefined): void {
    const document = this.#lexical.add(record.content);
    this.#features.add(document, featuresOf(record));
    entry.document = document;
    this.#indexed[document] = entry;
    if (vector !== undefined) this.#vectors?.set(document, vector);
  }

  #unindex(entry: Entry<Place>): void {
    if (entry.document === undefined) return;
    this.#lexical.remove(entry.document);
    this.#features.remove(entry.document);
    this.#vectors?.remove(entry.document);
    this.#indexed[entry.document] = undefined;
    entry.document = undefined;
  }

  #entryOf(document: number): Entry<Place> {
    return this.#indexed[document] as Entry<Place>;
  }

  #byPut(): Entry<Place>[] {
    return [...this.#entries.values()].sort((a, b) => a.put - b.put);
  }

  #kind({ numbers }: PlaceFormat<Place>): string {
    const vectors = this.#dimensions === undefined ? '' : ` with vectors of ${this.#dimensions}`;
    return `records and features at places of ${numbers}${vectors}`;
  }

  #restore(section: SectionReader, format: PlaceFormat<Place>): void {
    this.#lexical = LexicalIndex.restore(section('words'), { language: this.#language }) ?? unusable();
    if (this.#dimensions !== undefined) {
      this.#vectors = VectorIndex.restore(section('vectors'), { dimensions: this.#dimensions }) ?? unusable();
    }
    const ids = unpackIds(section);
    const rows = new RowReader(section('entries'), 3 + format.numbers);
    for (const id of ids) this.#restoreEntry(id, rows.read(), format);
    this.createAfter(new RowReader(section('created'), 1).read()[0] as number);
    const indexed = this.#indexed.filter((entry) => entry !== undefined);
    this.#restoreFeatures(section);
    const withVector = indexed.filter(({ document }) => this.#vectors?.has(document as number));
    const isWhole =
      rows.atEnd &&
      this.#entries.size === ids.length &&
      this.#lexical.size === indexed.length &&
      (this.#vectors?.size ?? 0) === withVector.length;
    if (!isWhole) unusable();
  }

  #restoreFeatures(section: SectionReader): void {
    const entries = this.#byPut();
    const missing = new Set(entries.flatMap(({ document }) => document ?? []));
    for (const [row, features] of unpackFeatures(section)) {
      const document = entries[row]?.document;
      if (document === undefined || !missing.delete(document)) unusable();
      this.#features.add(document, features);
    }
    if (missing.size > 0) unusable();
  }

  #restoreEntry(id: string, row: readonly number[], format: PlaceFormat<Place>): void {
    const entry = this.#create(id, row[0] as number, format.read(row.slice(3)));
    const document = row[1] as number;
    const expires = row[2] as number;
    entry.put = ++this.#puts;
    if (expires !== NONE) this.#expiry.set(entry, expires);
    if (document === NONE) return;
    if (!this.#lexical.has(document)) unusable();
    entry.document = document;
    this.#indexed[document] = entry;
  }
}

/** In milliseconds since 1970; `undefined` for never. */
function expiryOf({ expiresAt }: StoredRecord): number | undefined {
  const time = Date.parse(expiresAt ?? '');
  return Number.isNaN(time) ? undefined : time;
}
