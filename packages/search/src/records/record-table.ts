import { type ListOptions, type MemoryEntry, MemoryError, type MemoryRecord, type Page } from '@keepsake/core';
import {
  checkId,
  expectKnownFields,
  type FieldNames,
  type FilterRule,
  type IndexedField,
  matchesFilter,
  type PreparedRecord,
  pageLimit,
  parseFilter,
  type RecordList,
  readCursor,
  uuidv7,
  writeCursor,
} from '@keepsake/core/adapter';
import type { Language } from '../languages/language.ts';
import { LexicalIndex } from '../lexical/lexical-index.ts';
import { type ConversationSearchOptions, searchConversations } from '../ranking/conversation-ranking.ts';
import { FeatureTable, featuresOf } from '../ranking/feature-table.ts';
import { comparedMeaning } from '../ranking/meaning.ts';
import type { RemoteWord } from '../remote/remote-query.ts';
import { packFeatures, unpackFeatures } from '../snapshot/pack-features.ts';
import { packIds, unpackIds } from '../snapshot/pack-ids.ts';
import { RowReader, RowWriter } from '../snapshot/rows.ts';
import { ifUsable, joined, readSnapshot, type SectionReader, snapshotPieces, unusable } from '../snapshot/snapshot.ts';
import { endsStep, finish, finishWithPauses, type Steps } from '../snapshot/steps.ts';
import type { Corpus, Pool, PoolQuery } from '../tree/search-place.ts';
import { tablePool } from '../tree/table-pool.ts';
import { VectorIndex } from '../vectors/vector-index.ts';
import { CreationOrder } from './creation-order.ts';
import { ExpiryQueue } from './expiry-queue.ts';
import { FieldIndex } from './field-index.ts';
import { FilterSteps } from './filter-steps.ts';
import { ListSteps } from './list-steps.ts';
import { RecentChanges } from './recent-changes.ts';
import { revise, type StoredRecord, toEntry, toRecord } from './stored-record.ts';
import { NO_SLOT } from './value-column.ts';

/** Options of a table. */
export interface RecordTableOptions<Place> {
  /** The length of the vectors; missing without vectors. */
  readonly dimensions?: number;
  /** The language of the records and queries. @default Detected per text. */
  readonly language?: Language | undefined;
  /** The fields of filters that an index serves, as `indexedFields` returns them. @default None. */
  readonly indexed?: readonly IndexedField[];
  /** Reads the record at a place. If it throws, the caller gets the error and nothing has changed. */
  readonly read: (place: Place) => StoredRecord;
}

const OPTIONS: FieldNames<RecordTableOptions<unknown>> = {
  dimensions: true,
  language: true,
  indexed: true,
  read: true,
};

/** The format of a place in a snapshot: whole numbers between -2 ** 51 and 2 ** 51. */
export interface PlaceFormat<Place> {
  /** The number of numbers per place. */
  readonly numbers: number;
  write(place: Place): readonly number[];
  read(numbers: readonly number[]): Place;
}

/** What to look for in a table. */
export interface TableSearch {
  readonly query: string;
  /** The vector of the query, if the table has vectors. */
  readonly vector?: Float32Array;
  readonly limit: number;
  readonly rules: readonly FilterRule[];
  readonly minScore?: number;
  /** Whether entries explain their scores. @default false */
  readonly explain?: boolean;
  /** The reference time for words such as "yesterday". @default Now. */
  readonly now?: Date;
}

/** See {@link RecordTable.pool}. */
export interface TablePool extends Pick<Pool, 'matches'> {
  /** The id of each match. */
  readonly ids: readonly string[];
}

/** What a table knows about a record without reading it. */
interface Entry<Place> {
  readonly id: string;
  readonly created: number;
  place: Place;
  /** Its put number: a higher one was put later. 0 if it is gone. */
  put: number;
  /** Its document number in the indexes, if it is indexed. */
  document: number | undefined;
  expires: number | undefined;
  /** Its number in the index of fields. */
  slot: number;
}

/** A search looks up the documents of this many candidates. If there are more, enough of the best by words pass. */
const MAX_AMONG = 4_096;

/** Stands for a missing document or time in a snapshot. */
const NONE = -1;

/**
 * The records of one namespace with their indexes. The table stores the `Place` of each record and reads it on demand; a
 * place can be the record itself or a byte range in a file. Every method is synchronous and so atomic.
 *
 * Expired records stay until {@link RecordTable.expire} is called.
 */
export class RecordTable<Place = StoredRecord> {
  readonly #dimensions: number | undefined;
  readonly #read: (place: Place) => StoredRecord;
  readonly #entries = new Map<string, Entry<Place>>();
  readonly #order = new CreationOrder<Entry<Place>>({ has: ({ put }) => put > 0 });
  readonly #expiry = new ExpiryQueue<Entry<Place>>();
  readonly #language: Language | undefined;
  #lexical: LexicalIndex;
  readonly #features = new FeatureTable();
  #vectors: VectorIndex<number> | undefined;
  readonly #indexedFields: readonly IndexedField[];
  readonly #fields: FieldIndex<Entry<Place>>;
  /** By document of both indexes. */
  readonly #indexed: (Entry<Place> | undefined)[] = [];
  readonly #changes = new RecentChanges();
  #created = 0;
  #puts = 0;

  constructor(options: RecordTableOptions<Place>) {
    expectKnownFields(options, OPTIONS);
    const { dimensions, language, indexed = [], read } = options;
    this.#dimensions = dimensions;
    this.#language = language;
    this.#lexical = new LexicalIndex({ language });
    this.#read = read;
    this.#vectors = dimensions === undefined ? undefined : new VectorIndex({ dimensions });
    this.#indexedFields = indexed;
    this.#fields = new FieldIndex(indexed);
  }

  /**
   * Loads a table from a snapshot, with the same records, places and search results. Reads no record: the caller must know
   * that they are still there. Returns `undefined` for incomplete bytes, other dimensions, another language, other indexed
   * fields or another version: then put the records again. A corrupted byte may go unnoticed; at worst, it changes the results or places.
   */
  static restore<Place>(
    bytes: Uint8Array,
    format: PlaceFormat<Place>,
    options: RecordTableOptions<Place>,
  ): RecordTable<Place> | undefined {
    return finish(RecordTable.#restoring(bytes, format, options));
  }

  /** The same as {@link restore}. Lets the event loop turn now and then. */
  static restoreWithPauses<Place>(
    bytes: Uint8Array,
    format: PlaceFormat<Place>,
    options: RecordTableOptions<Place>,
  ): Promise<RecordTable<Place> | undefined> {
    return finishWithPauses(RecordTable.#restoring(bytes, format, options));
  }

  static #restoring<Place>(
    bytes: Uint8Array,
    format: PlaceFormat<Place>,
    options: RecordTableOptions<Place>,
  ): Steps<RecordTable<Place> | undefined> {
    return ifUsable(new RecordTable(options).#restore(bytes, format));
  }

  /**
   * The whole table as bytes, for machines of the same byte order: ids, places and indexes, but no records. Throws a
   * RangeError for a number that does not fit.
   */
  snapshot(format: PlaceFormat<Place>): Uint8Array {
    return joined(finish(this.#snapshotting(format)));
  }

  /**
   * The same as {@link snapshot}, in pieces. Lets the event loop turn now and then, and returns `undefined` if the table has
   * changed in between.
   */
  async snapshotWithPauses(format: PlaceFormat<Place>): Promise<readonly Uint8Array[] | undefined> {
    return finishWithPauses(this.#unlessChanged(this.#snapshotting(format)));
  }

  *#unlessChanged<T>(steps: Steps<T>): Steps<T | undefined> {
    const { count } = this.#changes;
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      yield;
      if (this.#changes.count !== count) return undefined;
    }
  }

  *#snapshotting(format: PlaceFormat<Place>): Steps<readonly Uint8Array[]> {
    const entries = this.#byPut();
    const rows = new RowWriter();
    const created = new RowWriter();
    created.write([this.#created]);
    for (const [row, { created, document = NONE, expires = NONE, place }] of entries.entries()) {
      if (endsStep(row)) yield;
      rows.write([created, document, expires, ...format.write(place)]);
    }
    const ids = yield* packIds(entries.map(({ id }) => id));
    const features = yield* packFeatures(entries.length, (row) => {
      const { document } = entries[row] as Entry<Place>;
      return document === undefined ? undefined : this.#features.of(document);
    });
    return snapshotPieces(this.#kind(format), {
      created: created.bytes,
      ...ids,
      entries: rows.bytes,
      ...features,
      ...(yield* this.#fields.packing(entries)),
      words: yield* this.#lexical.snapshotting(),
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

  /** The highest creation number of any record so far. */
  get created(): number {
    return this.#created;
  }

  /** Marks creation numbers up to `created` as used. */
  createAfter(created: number): void {
    this.#created = Math.max(this.#created, created);
  }

  /**
   * The places of the records in the order of their last put. Putting them into a new table in this order gives the same
   * search results, including the order of ties.
   */
  places(): readonly { readonly id: string; readonly place: Place }[] {
    return this.#byPut().map(({ id, place }) => ({ id, place }));
  }

  /** The records as they will be after putting `inputs` one after the other. Changes nothing. */
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

  /** Creates or replaces a record and returns its previous place. A record without a vector is searched by words alone. */
  put(record: StoredRecord, place: Place, vector?: Float32Array): Place | undefined {
    const { id, created } = record;
    let entry = this.#entries.get(id);
    const former = entry?.place;
    if (entry !== undefined && entry.created !== created) {
      // The previous record is gone without a delete here: it expired, or the line that deleted it is damaged.
      this.#remove(entry);
      entry = undefined;
    }
    entry ??= this.#create(id, created, place);
    this.#unindex(entry);
    entry.place = place;
    entry.put = ++this.#puts;
    this.#changes.add(id);
    this.#expiry.set(entry, expiryOf(record));
    this.#fields.set(entry, record);
    if (record.index) this.#index(entry, record, vector);
    return former;
  }

  /** Removes a record and returns its place, or `undefined` if it did not exist. */
  delete(id: string): Place | undefined {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#remove(entry);
    return entry?.place;
  }

  /** Removes expired records and returns their places. */
  expire(now: number): Place[] {
    const places: Place[] = [];
    for (let entry = this.#expiry.due(now); entry !== undefined; entry = this.#expiry.due(now)) {
      this.#remove(entry);
      places.push(entry.place);
    }
    return places;
  }

  /** A page of records by creation, as copies. */
  list(options?: ListOptions & Partial<Pick<RecordList, 'rules'>>): Page<MemoryRecord> {
    return this.listStep(options, new ListSteps(Infinity)) as Page<MemoryRecord>;
  }

  /** The next step of {@link list}. Returns `undefined` if there must be another one. */
  listStep(
    options: (ListOptions & Partial<Pick<RecordList, 'rules'>>) | undefined,
    steps: ListSteps,
  ): Page<MemoryRecord> | undefined {
    const limit = pageLimit(options);
    const { order = 'newest', idPrefix = '', rules = parseFilter(options?.filter) } = options ?? {};
    if (idPrefix !== '') checkId(idPrefix, 'idPrefix');
    if (order !== 'newest' && order !== 'oldest') {
      throw new MemoryError('INVALID_ARGUMENT', "order must be 'newest' or 'oldest'.");
    }
    const kind = `records ${order}`;
    const [from] = (readCursor(options?.cursor, kind, ['number']) as [number] | undefined) ?? [];
    const listed = this.#fields.candidates(rules) ?? this.#order;
    const records = {
      after: (created: number | undefined) =>
        order === 'oldest' ? listed.after(created ?? -Infinity) : listed.before(created ?? Infinity),
      isAfter: (created: number, other: number) => (order === 'oldest' ? created > other : created < other),
      get: (id: string) => this.get(id),
      table: this,
      changes: this.#changes.count,
      changedSince: (changes: number) => this.#changes.since(changes),
    };
    const found = steps.next(records, from, { limit, idPrefix, rules });
    if (found === undefined) return undefined;
    const items = found.page.map(toRecord);
    const last = found.page.at(-1);
    return found.isLast || last === undefined ? { items } : { items, cursor: writeCursor(kind, [last.created]) };
  }

  /** The matching records as copies, best first, newest first on ties. See {@link searchConversations}. */
  search(search: TableSearch): MemoryEntry[] {
    return this.searchStep(search, new FilterSteps(Infinity)) as MemoryEntry[];
  }

  /** The next step of {@link search}. Returns `undefined` if there must be another one. */
  searchStep(search: TableSearch, steps: FilterSteps): MemoryEntry[] | undefined {
    const { query, vector, limit, rules, minScore = -Infinity, explain = false, now = new Date() } = search;
    const compared = vector === undefined ? undefined : this.#vectors?.compare(vector);
    const found = this.#filtered(rules, steps, (filter) =>
      searchConversations(this.#lexical, this.#features, query, {
        ...{ limit, minScore, explain, now, ...filter },
        ...(compared === undefined ? {} : { meaning: comparedMeaning(compared) }),
      }),
    );
    if (found === undefined) return undefined;
    const searched = { words: found.words, language: this.#language };
    return found.hits.map(({ document, ...hit }) => toEntry(this.#read(this.#entryOf(document).place), hit, searched));
  }

  /** What the index knows of its documents. `vector` is the query's. */
  corpus(vector?: Float32Array): Corpus {
    const { lengths, languages } = this.#lexical;
    const cosines = vector && this.#vectors?.compare(vector);
    return { lengths, languages, speakers: this.#features.speakers.counts, cosines };
  }

  /** See {@link SearchPlace.counts}. */
  counts(words: readonly RemoteWord[]): number[][] {
    return words.map(({ forms, related }) =>
      [undefined, ...related].map((group) => this.#lexical.countOf({ forms, group })),
    );
  }

  /**
   * The next step to the records that may rank among the best of several namespaces, with their ids. Returns `undefined` if
   * there must be another step.
   */
  poolStep(search: TableSearch, { worths, words, norm }: PoolQuery, steps: FilterSteps): TablePool | undefined {
    const { query, vector, limit, rules, now = new Date() } = search;
    const compared = vector === undefined ? undefined : this.#vectors?.compare(vector);
    const terms = worths.map((worth) => ({ ...worth, group: words[worth.word]?.related[worth.group - 1] }));
    return this.#filtered(rules, steps, (filter) => {
      const { matches, documents } = this.#lexical.matchingWorths(terms, norm, (found) =>
        tablePool(found, this.#features, query, {
          ...{ limit, now, ...filter, cosineOf: (document: number) => compared?.scoreOf(document) },
          ...(compared === undefined ? {} : { meaning: comparedMeaning(compared) }),
        }),
      );
      return { matches, ids: documents.map((document) => this.#entryOf(document).id) };
    });
  }

  /** Ranks with a filter, if there are rules. */
  #filtered<T>(
    rules: readonly FilterRule[],
    steps: FilterSteps,
    rank: (filter: Pick<ConversationSearchOptions, 'filter' | 'among'>) => T,
  ): T | undefined {
    if (rules.length === 0) return rank({});
    const candidates = this.#fields.candidates(rules);
    const among = candidates && candidates.size <= MAX_AMONG ? this.#documentsOf(candidates) : undefined;
    const documents = {
      table: this,
      count: this.#indexed.length,
      putOf: (document: number) => this.#indexed[document]?.put ?? 0,
      mayPass: (document: number) => candidates?.has(this.#entryOf(document)) ?? true,
      passes: (document: number) => matchesFilter(rules, this.#read(this.#entryOf(document).place)),
    };
    return steps.next(documents, (filter) => rank({ filter, among }));
  }

  #documentsOf(entries: CreationOrder<Entry<Place>>): number[] {
    return Array.from(entries.after(-Infinity)).flatMap(({ document }) => document ?? []);
  }

  #create(id: string, created: number, place: Place): Entry<Place> {
    const entry: Entry<Place> = {
      id,
      created,
      place,
      put: 0,
      document: undefined,
      expires: undefined,
      slot: NO_SLOT,
    };
    this.#entries.set(id, entry);
    this.#order.add(entry);
    this.createAfter(created);
    return entry;
  }

  #remove(entry: Entry<Place>): void {
    this.#changes.add(entry.id);
    this.#unindex(entry);
    this.#fields.remove(entry);
    entry.put = 0;
    this.#order.remove();
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
    const fields = this.#indexedFields.length === 0 ? '' : ` and fields ${JSON.stringify(this.#indexedFields)}`;
    return `records and features at places of ${numbers}${vectors}${fields}`;
  }

  *#restore(bytes: Uint8Array, format: PlaceFormat<Place>): Steps<this> {
    const section = readSnapshot(this.#kind(format), bytes);
    this.#lexical = (yield* LexicalIndex.restoring(section('words'), { language: this.#language })) ?? unusable();
    if (this.#dimensions !== undefined) {
      const options = { dimensions: this.#dimensions };
      this.#vectors = (yield* VectorIndex.restoring<number>(section('vectors'), options)) ?? unusable();
    }
    const ids = yield* unpackIds(section);
    const rows = new RowReader(section('entries'), 3 + format.numbers);
    // By put, as they are in the snapshot.
    const documents: (number | undefined)[] = [];
    let [indexed, withVector] = [0, 0];
    for (const [row, id] of ids.entries()) {
      const { document } = this.#restoreEntry(id, rows.read(), format);
      documents.push(document);
      if (document !== undefined) indexed++;
      if (document !== undefined && this.#vectors?.has(document)) withVector++;
      if (endsStep(row)) yield;
    }
    this.createAfter(new RowReader(section('created'), 1).read()[0] as number);
    const isWhole =
      rows.atEnd &&
      this.#entries.size === ids.length &&
      this.#lexical.size === indexed &&
      (this.#vectors?.size ?? 0) === withVector;
    if (!isWhole) unusable();
    yield* this.#restoreFeatures(section, documents, indexed);
    // They are as many as the ids, so in the same order.
    yield* this.#fields.unpacking(section, this.#entries.values());
    return this;
  }

  *#restoreFeatures(section: SectionReader, documents: (number | undefined)[], count: number): Steps<void> {
    let missing = count;
    yield* unpackFeatures(section, (row, features) => {
      const document = documents[row];
      if (document === undefined) unusable();
      // Each of them once.
      documents[row] = undefined;
      missing--;
      this.#features.add(document, features);
    });
    if (missing > 0) unusable();
  }

  #restoreEntry(id: string, row: readonly number[], format: PlaceFormat<Place>): Entry<Place> {
    const entry = this.#create(id, row[0] as number, format.read(row.slice(3)));
    const document = row[1] as number;
    const expires = row[2] as number;
    entry.put = ++this.#puts;
    if (expires !== NONE) this.#expiry.set(entry, expires);
    if (document === NONE) return entry;
    // Two records must not share one.
    if (!this.#lexical.has(document) || this.#indexed[document] !== undefined) unusable();
    entry.document = document;
    this.#indexed[document] = entry;
    return entry;
  }
}

/** In milliseconds since 1970; `undefined` for never. */
function expiryOf({ expiresAt }: StoredRecord): number | undefined {
  const time = Date.parse(expiresAt ?? '');
  return Number.isNaN(time) ? undefined : time;
}
