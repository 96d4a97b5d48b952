import { type ListOptions, type MemoryEntry, MemoryError, type MemoryRecord, type Page } from '@keepsake/core';
import {
  checkId,
  expectKnownFields,
  type FieldNames,
  type FilterRule,
  firstVersion,
  type IdentifiedRecord,
  type IndexedField,
  matchesFilter,
  pageLimit,
  parseFilter,
  type RecordList,
  readCursor,
  writeCursor,
} from '@keepsake/core/adapter';
import { finish, finishWithPauses, STEP_MS, type Steps } from '@keepsake/internal';
import type { Language } from '../languages/language.ts';
import type { HeldWord } from '../lexical/inside-words.ts';
import { LexicalIndex } from '../lexical/lexical-index.ts';
import type { Matching } from '../lexical/matching.ts';
import type { SimilarTerm } from '../lexical/term-grams.ts';
import { matchConversations, poolSize, rankConversations, timeFactors } from '../ranking/conversation-ranking.ts';
import { type Features, FeatureTable, featuresOf } from '../ranking/feature-table.ts';
import { comparedMeaning } from '../ranking/meaning.ts';
import { packFeatures, unpackFeatures } from '../snapshot/pack-features.ts';
import { isWritable } from '../snapshot/rows.ts';
import {
  ifUsable,
  joined,
  type Pieces,
  readSnapshot,
  type SectionReader,
  type Sections,
  section,
  unusable,
  writeSnapshot,
} from '../snapshot/snapshot.ts';
import { bytesOf, ifThere, inMemory, type StoredBytes, StoredNumbers } from '../snapshot/stored-bytes.ts';
import type { Corpus, Pool, PoolQuery } from '../tree/search-place.ts';
import { tablePool } from '../tree/table-pool.ts';
import type { TreeWord } from '../tree/tree-words.ts';
import { VectorIndex } from '../vectors/vector-index.ts';
import { BestPassing } from './best-passing.ts';
import { Clock } from './clock.ts';
import { Entries } from './entries.ts';
import type { Entry, EntryView, PlaceFormat } from './entry.ts';
import { FieldIndex } from './field-index.ts';
import type { Filtered } from './filter-steps.ts';
import { ListSteps } from './list-steps.ts';
import { RecentChanges } from './recent-changes.ts';
import { packEntries, SavedEntries } from './saved-entries.ts';
import { type Searched, SearchSteps } from './search-steps.ts';
import { type StoredRecord, storedRecord, toEntry, toRecord } from './stored-record.ts';

export type { PlaceFormat } from './entry.ts';

/** Options of a table. */
export interface RecordTableOptions<Place> {
  /** The length of the vectors; missing without vectors. */
  readonly dimensions?: number;
  /** The language of the records and queries. @default Detected per text. */
  readonly language?: Language | undefined;
  /** The fields of filters that an index serves, as `indexedFields` returns them. @default None. */
  readonly indexed?: readonly IndexedField[];
  /**
   * The record at a place; `undefined` if it must be read first, see {@link RecordTable.unread}. If it throws, the caller gets
   * the error and nothing has changed.
   */
  readonly read: (place: Place) => StoredRecord | undefined;
}

const OPTIONS: FieldNames<RecordTableOptions<unknown>> = {
  dimensions: true,
  language: true,
  indexed: true,
  read: true,
};

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
  readonly now?: Date | undefined;
}

const LATER: ReadonlySet<string> = new Set([
  ...['rows', 'by creation', 'by expiry', 'ids', 'slots of ids'],
  // A snapshot of its own.
  'words',
]);

/** See {@link RecordTable.pool}. */
export interface TablePool extends Pick<Pool, 'matches'> {
  /** The id of each match. */
  readonly ids: readonly string[];
}

/**
 * A search looks up the documents of this many candidates, unless fewer documents have its words. If there are more, enough of
 * the best by words pass.
 */
const MAX_FEW = 16_384;

/**
 * The records of one namespace with their indexes. The table stores the `Place` of each record and reads it on demand; a
 * place can be the record itself or a byte range in a file. Every method is synchronous and so atomic.
 *
 * Expired records stay until {@link RecordTable.expire} is called.
 */
export class RecordTable<Place = StoredRecord> {
  readonly #dimensions: number | undefined;
  readonly #read: (place: Place) => StoredRecord | undefined;
  /** The ids of the records that steps could not go on without, and their places. */
  readonly unread = new Map<string, Place>();
  readonly #entries = new Entries<Place>();
  readonly #language: Language | undefined;
  #lexical: LexicalIndex;
  readonly #features = new FeatureTable();
  #vectors: VectorIndex<number> | undefined;
  readonly #indexedFields: readonly IndexedField[];
  readonly #fields: FieldIndex<Place>;
  readonly #changes = new RecentChanges();
  #created = 0;

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
    const table = new RecordTable(options);
    return finish(ifUsable(table.#restoring(inMemory(bytes), format)));
  }

  /**
   * The same, but reads little, and the rest when it is needed, so that the bytes must stay as they are. Lets the event loop
   * turn now and then. A later call may throw an error that {@link isUnusable}, or that of a read that failed: the table must not be
   * used any more.
   *
   * If bytes must be loaded first, this and later calls throw an error that {@link isMissing}, and nothing has changed. A call that
   * reads may return something, too: it counts only if no bytes were asked for.
   */
  static openWithPauses<Place>(
    stored: StoredBytes,
    format: PlaceFormat<Place>,
    options: RecordTableOptions<Place>,
  ): Promise<RecordTable<Place> | undefined> {
    return finishWithPauses(ifUsable(new RecordTable(options).#open(stored, format)));
  }

  /**
   * The whole table as bytes, for machines of the same byte order: ids, places and indexes, but no records. Throws a
   * RangeError for a number that does not fit.
   */
  snapshot(format: PlaceFormat<Place>): Uint8Array {
    return joined(this.snapshotting(format));
  }

  /** The same in steps and pieces. Returns false, with the pieces of no use, if the table has changed in between. */
  *snapshotting(format: PlaceFormat<Place>): Pieces<boolean> {
    const { count } = this.#changes;
    for (const piece of writeSnapshot(this.#kind(format), this.#sections(format))) {
      yield piece;
      if (this.#changes.count !== count) return false;
    }
    return true;
  }

  *#sections(format: PlaceFormat<Place>): Sections {
    const entries = () => this.#entries.byPut();
    const { size } = this;
    yield* section('created', bytesOf(Float64Array.of(this.#created)));
    const byCreation = yield* packEntries(size, entries, format);
    yield* packFeatures(size, this.#featuresByPut());
    yield* this.#fields.sections(this.#entries, size, byCreation);
    yield* section('words', this.#lexical.snapshotting());
    if (this.#vectors !== undefined) yield* section('vectors', this.#vectors.snapshotting());
  }

  *#featuresByPut(): Iterable<Features | undefined> {
    for (const document of this.#entries.documentsByPut()) {
      yield document === undefined ? undefined : this.#features.of(document);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  has(id: string): boolean {
    return this.#entries.get(id) !== undefined;
  }

  get(id: string): StoredRecord | undefined {
    const entry = this.#entries.get(id);
    return entry && this.#recordOf(entry);
  }

  #recordOf({ id, place }: Pick<EntryView<Place>, 'id' | 'place'>): StoredRecord | undefined {
    const record = this.#read(place);
    if (record === undefined) this.unread.set(id, place);
    return record;
  }

  /** The record of a document; `undefined` if it, or its entry, must be read first. */
  #recordAt(document: number): StoredRecord | undefined {
    return ifThere(() => this.#recordOf(this.#entries.of(document)));
  }

  /** The place of a record. */
  placeOf(id: string): Place | undefined {
    return this.#entries.get(id)?.place;
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
  places(): Iterable<Pick<EntryView<Place>, 'id' | 'place'>> {
    return this.#entries.byPut();
  }

  /** The records as they will be after putting `inputs` one after the other. Changes nothing. */
  revise(inputs: readonly IdentifiedRecord[], now: Date): StoredRecord[] {
    const revised = new Map<string, StoredRecord>();
    let created = this.#created;
    const first = firstVersion();
    return inputs.map((input) => {
      const before = revised.get(input.id) ?? this.get(input.id);
      const after = storedRecord(before, input, now, before?.created ?? ++created, first);
      revised.set(input.id, after);
      return after;
    });
  }

  /** Creates or replaces a record and returns its previous place. A record without a vector is searched by words alone. */
  put(record: StoredRecord, place: Place, vector?: Float32Array): Place | undefined {
    const { id, created } = record;
    let entry = this.#entries.own(id);
    const former = entry?.place;
    if (entry !== undefined && entry.created !== created) {
      // The previous record is gone without a delete here: it expired, or the line that deleted it is damaged.
      this.#remove(entry);
      entry = undefined;
    }
    entry ??= this.#create(id, created, place);
    this.#unindex(entry);
    entry.place = place;
    this.#entries.put(entry);
    this.#changes.add(id);
    this.#entries.expireAt(entry, expiryOf(record));
    this.#fields.set(entry, record);
    if (record.index) this.#index(entry, record, vector);
    return former;
  }

  /** Removes a record and returns its place, or `undefined` if it did not exist. */
  delete(id: string): Place | undefined {
    const entry = this.#entries.own(id);
    if (entry !== undefined) this.#remove(entry);
    return entry?.place;
  }

  /** Removes expired records and returns their places. */
  expire(now: number): Place[] {
    const places: Place[] = [];
    for (let entry = this.#entries.due(now); entry !== undefined; entry = this.#entries.due(now)) {
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
    const listed = this.#fields.candidates(rules) ?? this.#entries;
    const records = {
      after: (created: number | undefined) =>
        order === 'oldest' ? listed.after(created ?? -Infinity) : listed.before(created ?? Infinity),
      isAfter: (created: number, other: number) => (order === 'oldest' ? created > other : created < other),
      get: (id: string) => this.get(id),
      read: (entry: EntryView<Place>) => this.#recordOf(entry) as StoredRecord,
      table: this,
      changes: this.#changes.count,
      changedSince: (changes: number) => this.#changes.since(changes),
    };
    const result = steps.next(records, from, { limit, idPrefix, rules });
    if (result === undefined) return undefined;
    const items = result.page.map(toRecord);
    const last = result.page.at(-1);
    return result.isLast || last === undefined ? { items } : { items, cursor: writeCursor(kind, [last.created]) };
  }

  /** The matching records as copies, best first, newest first on ties. See {@link rankConversations}. */
  search(search: TableSearch): MemoryEntry[] {
    return this.searchStep(search, new SearchSteps(Infinity)) as MemoryEntry[];
  }

  /** The next step of {@link search}. Returns `undefined` if there must be another one. */
  searchStep(search: TableSearch, steps: SearchSteps): MemoryEntry[] | undefined {
    const { query, limit, minScore = -Infinity, explain = false, now = new Date() } = search;
    const match = () => matchConversations(this.#lexical, this.#features, query);
    const find = () =>
      this.#step(search, steps, match, (matches, filter, near) =>
        rankConversations(matches, this.#features, query, {
          ...{
            limit,
            minScore,
            explain,
            now,
            ...filter,
            meaning: near && comparedMeaning(near.compared, near.nearest),
          },
        }),
      );
    const result = steps.once(this, this.#changes.count, find);
    if (result === undefined) return undefined;
    const searched = { words: result.words, language: this.#language };
    const records = result.hits.map(({ document }) => this.#recordAt(document));
    // Excerpts take longest, so nothing is made of records until all are there.
    if (!records.every((record) => record !== undefined)) return undefined;
    return result.hits.map(({ document, ...hit }, place) => toEntry(records[place] as StoredRecord, hit, searched));
  }

  /** What the index knows of its documents. Returns `undefined` if there must be another step. */
  corpusStep({ vector }: Pick<TableSearch, 'vector'>, steps: SearchSteps): Corpus | undefined {
    const { lengths, languages } = this.#lexical;
    const corpus = { lengths, languages, speakers: this.#features.speakers.counts };
    if (vector === undefined || this.#vectors === undefined) return corpus;
    const cosines = steps.compare(vector, this.#vectors);
    return cosines && { ...corpus, cosines };
  }

  /** See {@link SearchPlace.counts}. */
  counts(words: readonly TreeWord[]): number[][] {
    const counts = this.#lexical.counts(
      words.flatMap(({ forms, related }) => [undefined, ...related].map((group) => ({ forms, group }))),
    );
    return words.map(({ related }) => counts.splice(0, 1 + related.length));
  }

  /** The terms that have parts in common with each word. Returns `undefined` if there must be another step. */
  similarStep(words: readonly HeldWord[]): SimilarTerm[][] | undefined {
    const clock = new Clock(STEP_MS);
    const reading = this.#lexical.readingInside();
    while (!reading.next().done) if (clock.isOverNow()) return undefined;
    return words.map((word) => this.#lexical.similarTerms(word));
  }

  /**
   * The next step to the records that may rank among the best of several namespaces, with their ids. Returns `undefined` if
   * there must be another step.
   */
  poolStep(search: TableSearch, { worths, words }: PoolQuery, steps: SearchSteps): TablePool | undefined {
    const { query, limit, now = new Date() } = search;
    const terms = worths.map((worth) => ({ ...worth, group: words[worth.word]?.related[worth.group - 1] }));
    const match = () => this.#lexical.matchingWorths(terms);
    return this.#step(search, steps, match, (wordMatches, filter, near) => {
      const { matches, documents } = tablePool(wordMatches, this.#features, query, {
        ...{ limit, now, ...filter, cosineOf: (document: number) => near?.compared.scoreOf(document) },
        meaning: near && comparedMeaning(near.compared, near.nearest),
      });
      return { matches, ids: documents.map((document) => ifThere(() => this.#entries.of(document).id) ?? '') };
    });
  }

  /**
   * What `read` makes of records that were found; `undefined` for one that is gone by now, or no longer passes the filter. Returns
   * `undefined` if there must be another step.
   */
  foundStep<T>(
    ids: readonly string[],
    rules: readonly FilterRule[],
    read: (record: StoredRecord, place: number) => T,
  ): (T | undefined)[] | undefined {
    const records = ids.map((id) => ifThere(() => this.get(id)));
    if (this.unread.size > 0) return undefined;
    return records.map((record, place) =>
      record?.index && matchesFilter(rules, record) ? read(record, place) : undefined,
    );
  }

  /**
   * The next records, in the order of their creation, that an index of fields leads to: all others don't pass. Returns
   * `undefined` if no rule is about an indexed field.
   */
  candidates(
    rules: readonly FilterRule[],
    {
      order,
      after,
      limit,
    }: { readonly order: 'newest' | 'oldest'; readonly after?: number | undefined; readonly limit: number },
  ): Pick<EntryView<Place>, 'id' | 'created'>[] | undefined {
    const listed = this.#fields.candidates(rules);
    if (listed === undefined) return undefined;
    const entries = order === 'oldest' ? listed.after(after ?? -Infinity) : listed.before(after ?? Infinity);
    const next: Pick<EntryView<Place>, 'id' | 'created'>[] = [];
    for (const { id, created } of entries) if (next.push({ id, created }) === limit) break;
    return next;
  }

  /** Ranks with a filter, if there are rules. */
  #step<T>(
    { query, vector, limit, rules, now = new Date() }: TableSearch,
    steps: SearchSteps,
    match: () => Matching,
    rank: Searched<T>['rank'],
  ): T | undefined {
    const { numbering, isBusy } = this.#lexical;
    const findBest = () => new BestPassing(poolSize(limit), timeFactors(this.#features, query, now));
    const vectors = vector && this.#vectors && ([vector, this.#vectors] as const);
    const searched = { numbering, isBusy, match, findBest, vectors, nearestCount: poolSize(limit), rank };
    if (rules.length === 0) return steps.next(searched);
    const candidates = this.#fields.candidates(rules);
    const isPassing = this.#fields.test(rules);
    const filtered: Filtered = {
      table: this,
      changes: this.#changes.count,
      putOf: (document) => this.#entries.putOf(document),
      mayPass: (document) => candidates?.has(this.#entries.find(document)) ?? true,
      passes: (document) => {
        if (isPassing !== undefined) return isPassing(this.#entries.find(document));
        const record = this.#recordAt(document);
        return record && matchesFilter(rules, record);
      },
      few: ({ documents }) => {
        const most = Math.min(MAX_FEW, documents.length);
        return candidates && candidates.size <= most ? [...candidates.documents()] : undefined;
      },
    };
    return steps.next({ ...searched, filtered });
  }

  #create(id: string, created: number, place: Place): Entry<Place> {
    this.createAfter(created);
    return this.#entries.create(id, created, place);
  }

  #remove(entry: Entry<Place>): void {
    this.#changes.add(entry.id);
    this.#unindex(entry);
    this.#fields.remove(entry);
    this.#entries.remove(entry);
  }

  #index(entry: Entry<Place>, record: StoredRecord, vector: Float32Array | undefined): void {
    const document = this.#lexical.add(record.content);
    this.#features.add(document, featuresOf(record));
    this.#entries.setDocument(entry, document);
    if (vector !== undefined) this.#vectors?.set(document, vector);
  }

  #unindex(entry: Entry<Place>): void {
    if (entry.document === undefined) return;
    this.#lexical.remove(entry.document);
    this.#features.remove(entry.document);
    this.#vectors?.remove(entry.document);
    this.#entries.setDocument(entry, undefined);
  }

  #kind({ numbers }: PlaceFormat<Place>): string {
    const vectors = this.#dimensions === undefined ? '' : ` with vectors of ${this.#dimensions}`;
    const fields = this.#indexedFields.length === 0 ? '' : ` and fields ${JSON.stringify(this.#indexedFields)}`;
    return `records and features at places of ${numbers}${vectors}${fields}`;
  }

  *#restoring(stored: StoredBytes, format: PlaceFormat<Place>): Steps<this> {
    yield* this.#open(stored, format);
    yield* this.#lexical.loading();
    yield* this.#entries.loading();
    yield* this.#fields.loading(this.#entries.inMemory());
    return this;
  }

  *#open(stored: StoredBytes, format: PlaceFormat<Place>): Steps<this> {
    const section = readSnapshot(this.#kind(format), stored, isReadLater);
    this.#lexical = (yield* LexicalIndex.opening(section('words'), { language: this.#language })) ?? unusable();
    if (this.#dimensions !== undefined) {
      const options = { dimensions: this.#dimensions };
      this.#vectors = (yield* VectorIndex.restoring<number>(section('vectors'), options)) ?? unusable();
    }
    if (section('created').length !== Float64Array.BYTES_PER_ELEMENT) unusable();
    const [created = 0] = new StoredNumbers(section('created'), new Float64Array(1)).at(0);
    if (!isWritable(created)) unusable();
    this.createAfter(created);
    const entries = yield* SavedEntries.opening(section, format, this.#lexical);
    this.#entries.addSaved(entries);
    yield* this.#openFeatures(section, entries);
    yield* this.#fields.opening(section, entries);
    return this;
  }

  *#openFeatures(section: SectionReader, entries: SavedEntries<Place>): Steps<void> {
    let [indexed, withVector] = [0, 0];
    this.#features.reserve(this.#lexical.end);
    yield* unpackFeatures(section, entries.rows, (row, time, flags, turn) => {
      const document = entries.documentOf(row);
      if (document === undefined) return;
      indexed++;
      if (this.#vectors?.has(document)) withVector++;
      this.#features.set(document, time, flags);
      if (turn !== undefined) this.#features.setTurn(document, turn);
    });
    if (this.#lexical.size !== indexed || (this.#vectors?.size ?? 0) !== withVector) unusable();
  }
}

/** Whether a section is read when an entry or a value is needed. */
function isReadLater(name: string): boolean {
  return LATER.has(name) || /^(?!numbers).* of field \d+$/.test(name);
}

/** In milliseconds since 1970; `undefined` for never. */
function expiryOf({ expiresAt }: StoredRecord): number | undefined {
  const time = Date.parse(expiresAt ?? '');
  return Number.isNaN(time) ? undefined : time;
}
