import type { Embedder } from '@keepsake/core';
import type { IndexedField } from '@keepsake/core/adapter';
import { Pauses, STEP_MS } from '@keepsake/internal';
import type { Language } from '../languages/language.ts';
import { RecentRecords } from '../records/recent-records.ts';
import type { RecordView, SearchedPlace } from '../records/record-space.ts';
import { type PlaceFormat, RecordTable } from '../records/record-table.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import { isUnusable } from '../snapshot/snapshot.ts';
import { ifThere, isMissing } from '../snapshot/stored-bytes.ts';
import { IndexPages, PAGE_BYTES } from './index-pages.ts';
import type { LoggedRecord, LogPart, LogPosition, RecordLog, SavedIndex } from './record-log.ts';

/** How the tables of a store are made. */
export interface Indexing {
  readonly embedder: Embedder | undefined;
  readonly language: Language | undefined;
  readonly indexed: readonly IndexedField[];
  /** How much memory records may take that are in no saved index, in bytes. */
  readonly unsavedBytes: number;
  /** How many bytes of its saved index a table keeps beside what it has read of it. */
  readonly pageBytes: number;
}

/** Fewer changes are read about as quickly as an index with them. */
const MIN_UNINDEXED = 64;
/** An index is saved again when this share of the records has changed since. */
const UNINDEXED_PART = 1 / 10;
/** How many times an index is made if the table changes while it is. */
const MAX_INDEXINGS = 3;
/** How many pages of an index are written at once. */
const PAGES_AT_ONCE = 8;
/** How many bytes of records a table keeps in memory. */
const MOST_CONTENT_BYTES = 2 ** 22;
/*
 * About how much memory a table of a few records takes, and how much each record and each character of it adds, in the table and
 * as a record that is kept: measured with 10 to 4,000 records of 12 words. A table from a saved index takes little more than that.
 */
const EMPTY_BYTES = 32_768;
const RECORD_BYTES = 600;
const CONTENT_BYTES = 400;

/** A place is the number of the record's last change. */
const CHANGES: PlaceFormat<number> = {
  numbers: 1,
  write: (change) => [change],
  read: ([change = 0]) => change,
};

/** The table of a namespace, which follows its log. Nothing is read before the first call. */
export class LogTable implements SearchedPlace {
  readonly #log: RecordLog;
  readonly #indexing: Indexing;
  readonly #variant: string;
  readonly #onGrowth: (table: LogTable) => void;
  #table: RecordTable<number>;
  /** The saved index that the table was opened from. */
  #pages: IndexPages | undefined;
  readonly #contents = new RecentRecords(MOST_CONTENT_BYTES);
  /** What the call that is running needs of them. */
  #needed: Map<number, StoredRecord> | undefined;
  #position: LogPosition | undefined;
  /** Whether the table is what the log was at some time: not while changes are applied. */
  #isWhole = false;
  /** Brings the table up to date: one that runs, and the one after it, which knows of all changes until it begins. */
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #saving: Promise<void> | undefined;
  /** Whether to begin with the saved index. Not after one could not be read. */
  #trustsIndex = true;
  /** The index of which a page could not be read. It may only have been replaced. */
  #lost: SavedIndex['id'] | undefined;
  /** Whether to begin again the next time that the table is brought up to date. */
  #isToReopen = false;
  /** The last change in the saved index that is known. */
  #indexed = 0;
  /** How many changes were read since it was opened or saved, or somebody else was found to save one. */
  #unindexed = 0;
  #bytes = EMPTY_BYTES;
  /** What of it was read from the log, and is in no saved index. */
  #unsavedBytes = 0;
  /** By how much the clock of the backend is ahead of this one, in milliseconds. */
  #ahead = 0;

  /** @param onGrowth - Called after the table has changed. */
  constructor(log: RecordLog, indexing: Indexing, onGrowth: (table: LogTable) => void) {
    this.#log = log;
    this.#indexing = indexing;
    const { embedder, language, indexed } = indexing;
    this.#variant = JSON.stringify([embedder?.id, embedder?.dimensions, language, indexed]);
    this.#onGrowth = onGrowth;
    this.#table = this.#newTable();
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#bytes + this.#contents.bytes + (this.#pages?.bytes ?? 0);
  }

  /** The time of the backend, once the table has followed it. */
  now(): Date {
    return new Date(Date.now() + this.#ahead);
  }

  async read<T>(use: (table: RecordView) => T): Promise<T> {
    const began = performance.now();
    const needed = new Map<number, StoredRecord>();
    let table = this.#table;
    for (let isOver = false; ; ) {
      while (!this.#isWhole) await this.follow();
      // In another log, the same number is another change.
      if (table !== this.#table) needed.clear();
      table = this.#table;
      const pages = this.#pages;
      const used = this.#use(use, needed);
      if (pages?.isAsked) await this.#load(pages).catch(ifLost);
      if (used === undefined) continue;
      const { result } = used;
      const unread = new Map(table.unread);
      table.unread.clear();
      if (unread.size > 0 && !isOver) {
        await this.#readRecords(unread, needed).catch(ifLost);
        isOver = performance.now() - began > STEP_MS;
        // What was read is used here: in the next step, it need not be kept any more.
        if (result === undefined) continue;
      }
      pages?.trim();
      return result as T;
    }
  }

  /**
   * Returns `undefined` if pages of the saved index must be loaded first, or if it turns out to be damaged.
   *
   * @param needed - The records that one call needs, by change, which can be more than the table keeps.
   */
  #use<T>(use: (table: RecordView) => T, needed: Map<number, StoredRecord>): { readonly result: T } | undefined {
    try {
      this.#needed = needed;
      this.#table.expire(this.now().getTime());
      const result = use(this.#table);
      // Of pages that were asked for, something is missing in the result.
      return this.#pages?.isAsked ? undefined : { result };
    } catch (error) {
      if (isUnusable(error)) this.#distrust();
      else if (!isMissing(error)) throw error;
      return undefined;
    } finally {
      this.#needed = undefined;
    }
  }

  #recordAt(change: number): StoredRecord | undefined {
    const record = this.#contents.get(change) ?? this.#needed?.get(change);
    if (record !== undefined) this.#needed?.set(change, record);
    return record;
  }

  /** Loads the pages that were asked for. Throws a {@link LostIndex} if that is not possible: then the table is made again. */
  async #load(pages: IndexPages): Promise<void> {
    if (await pages.load()) return;
    if (pages === this.#pages) {
      this.#isToReopen = true;
      this.#isWhole = false;
    }
    this.#lost = pages.id;
    throw new LostIndex();
  }

  /** Runs a step that changes nothing before it has read all that it needs. */
  async #withPages<T>(step: () => T): Promise<T> {
    for (;;) {
      try {
        return step();
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      await this.#load(this.#pages as IndexPages);
    }
  }

  /** Loads the whole index, of which nothing is let go from then on. */
  async #keepPages(): Promise<void> {
    while (this.#pages !== undefined && !this.#pages.keep()) await this.#load(this.#pages);
  }

  /** The saved index turned out to be damaged: the table is made again from the log. */
  #distrust(): void {
    this.#trustsIndex = false;
    this.#isToReopen = true;
    this.#isWhole = false;
  }

  follow(): Promise<void> {
    // One that runs may have asked the log before the last change.
    this.#next ??= this.#afterRunning();
    return this.#next;
  }

  /** Waits until nothing is done in the background. */
  async settle(): Promise<void> {
    await this.#saving;
  }

  /** Brings the table up to date, and saves its index if more than a few changes are in none. */
  async complete(): Promise<void> {
    await this.follow();
    await this.#saving;
    this.#saveIfBehind(0);
    await this.#saving;
  }

  async #afterRunning(): Promise<void> {
    await this.#running?.catch(() => {});
    const running = this.#follow();
    this.#running = running;
    this.#next = undefined;
    try {
      await running;
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }

  async #follow(): Promise<void> {
    if (this.#isToReopen) this.#beginAgain();
    const pauses = new Pauses();
    try {
      let isLast = this.#position === undefined && (await this.#open());
      while (!isLast) {
        const part = await this.#log.changes(this.#position);
        await this.#apply(part, pauses);
        ({ isLast } = part);
        if (!isLast && this.#unsavedBytes > this.#indexing.unsavedBytes) await this.#saveSoFar();
      }
    } catch (error) {
      if (isUnusable(error)) this.#distrust();
      else ifLost(error);
      this.#isToReopen = true;
      return this.#follow();
    }
    this.#pages?.trim();
    this.#isWhole = true;
    this.#onGrowth(this);
    this.#saveIfBehind();
  }

  /** Begins with the saved index, if there is one. Returns whether nothing has changed since it was saved. */
  async #open(): Promise<boolean> {
    const saved = this.#trustsIndex ? await this.#log.readIndex(this.#variant) : undefined;
    if (saved === undefined) return false;
    // One that was lost may only have been replaced: then there is another one.
    const pages = saved.id === this.#lost ? undefined : IndexPages.open(saved, this.#indexing.pageBytes);
    const table = pages && (await this.#openTable(pages));
    if (pages === undefined || table === undefined) {
      this.#trustsIndex = false;
      return false;
    }
    this.#pages = pages;
    const { log, change, currentAt } = saved;
    this.#table = table;
    this.#position = { log, change, began: change };
    // What was read of it takes about as much memory in the table, and pages are kept beside it.
    this.#bytes = EMPTY_BYTES + pages.bytes;
    pages.trim();
    this.#unsavedBytes = 0;
    this.#indexed = change;
    this.#unindexed = 0;
    if (currentAt !== undefined) this.#ahead = currentAt - Date.now();
    return currentAt !== undefined;
  }

  async #openTable(pages: IndexPages): Promise<RecordTable<number> | undefined> {
    for (;;) {
      try {
        return await RecordTable.openWithPauses(pages, CHANGES, this.#options());
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      await this.#load(pages);
    }
  }

  async #apply(part: LogPart, pauses: Pauses): Promise<void> {
    if (part.isBeginning) this.#beginAgain();
    if (part.changes.length > 0) this.#isWhole = false;
    await this.#findEntries(part.changes.map((change) => ('deleted' in change ? change.deleted : change.record.id)));
    for (const change of part.changes) {
      await this.#withPages(() => ('deleted' in change ? this.#delete(change.deleted) : this.#put(change)));
      await pauses.afterStep();
    }
    this.#unindexed += part.changes.length;
    this.#position = part;
    if (part.now !== undefined) this.#ahead = part.now - Date.now();
  }

  /** Loads what it takes to find the entries of ids at once: one by one would take as many loads. */
  async #findEntries(ids: readonly string[]): Promise<void> {
    const pages = this.#pages;
    if (pages === undefined) return;
    for (;;) {
      for (const id of ids) ifThere(() => this.#table.placeOf(id));
      if (!pages.isAsked) return;
      await this.#load(pages);
    }
  }

  #put({ record, change, created, vector }: LoggedRecord): void {
    const stored = { ...record, created };
    const former = this.#table.put(stored, change, vector);
    this.#keep(stored, change);
    if (former !== undefined) this.#contents.delete(former);
    else this.#grow(sizeOf(record, vector));
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.#unsavedBytes += bytes;
  }

  #delete(id: string): void {
    const change = this.#table.delete(id);
    if (change !== undefined) this.#contents.delete(change);
  }

  #keep(record: StoredRecord, change: number): void {
    this.#contents.set(change, record, record.content.length + CONTENT_BYTES);
  }

  /** Reads records that a step could not go on without. */
  async #readRecords(asked: Map<string, number>, needed: Map<number, StoredRecord>): Promise<void> {
    const records = await this.#log.read([...asked.keys()]);
    let isBehind = false;
    for (const { record, change, created } of records) {
      const stored = { ...record, created };
      if (asked.get(record.id) !== change) isBehind = true;
      else this.#keep(stored, change);
      needed.set(change, stored);
      asked.delete(record.id);
    }
    if (asked.size === 0 && !isBehind) return;
    await this.follow();
    // What has expired by the clock of the backend is not there, and no change says so.
    for (const [id, change] of asked) {
      await this.#withPages(() => {
        if (this.#table.placeOf(id) === change) this.#delete(id);
      });
    }
  }

  /** Only where the table is brought up to date: what was asked for the former one is not all that a new one needs. */
  #beginAgain(): void {
    this.#isToReopen = false;
    this.#table = this.#newTable();
    this.#pages = undefined;
    this.#contents.clear();
    this.#position = undefined;
    this.#isWhole = false;
    this.#indexed = 0;
    this.#unindexed = 0;
    this.#bytes = EMPTY_BYTES;
    this.#unsavedBytes = 0;
  }

  #newTable(): RecordTable<number> {
    return new RecordTable(this.#options());
  }

  #options() {
    const { embedder, language, indexed } = this.#indexing;
    return {
      ...(embedder === undefined ? {} : { dimensions: embedder.dimensions }),
      language,
      indexed,
      read: (change: number) => this.#recordAt(change),
    };
  }

  #saveIfBehind(part = UNINDEXED_PART): void {
    const isBehind = this.#unindexed >= Math.max(MIN_UNINDEXED, this.#table.size * part);
    if (!isBehind || this.#saving !== undefined) return;
    // An index is a cache: without it, the log is read. Whoever may not write one tries again after as many changes.
    this.#unindexed = 0;
    this.#saving = this.#save()
      .catch(() => {})
      .then(() => {
        this.#saving = undefined;
      });
  }

  async #save(): Promise<void> {
    const isFirst = this.#indexed === 0;
    const isSaved = await this.#saveIndex(() => this.#makeIndex());
    // A table that was made from the log takes several times as much memory as one from its index, and a large one was loaded.
    this.#isToReopen ||= isSaved && this.#trustsIndex && (isFirst || this.#pages?.isLarge === true);
  }

  /** In the midst of a long log: saves what was read, and goes on with the index in its place. */
  async #saveSoFar(): Promise<void> {
    this.#unsavedBytes = 0;
    const position = this.#position as LogPosition;
    const makeIndex = async () => {
      await this.#keepPages();
      const pages = await inPages(this.#table.snapshotting(CHANGES));
      return pages && { position, pages };
    };
    if (!(await this.#saveIndex(makeIndex).catch(() => false)) || !this.#trustsIndex) return;
    this.#beginAgain();
    await this.#open();
  }

  /** Returns whether an index was saved. */
  async #saveIndex(makeIndex: () => Promise<MadeIndex | undefined>): Promise<boolean> {
    // Where an index can't be read, another one takes the place of the damaged one.
    const writer = await this.#log.writeIndex(this.#variant, this.#trustsIndex ? this.#indexed : Infinity);
    if (writer === undefined) return false;
    try {
      const made = await makeIndex();
      if (made === undefined) {
        await writer.discard();
        return false;
      }
      for (let from = 0; from < made.pages.length; from += PAGES_AT_ONCE) {
        await writer.write(made.pages.slice(from, from + PAGES_AT_ONCE));
      }
      await writer.publish(made.position);
      this.#indexed = made.position.change;
      return true;
    } catch (error) {
      await writer.discard().catch(() => {});
      throw error;
    }
  }

  /** Makes the index before it is written: the table changes while others wait for a disk or a server. */
  async #makeIndex(): Promise<MadeIndex | undefined> {
    for (let attempt = 0; attempt < MAX_INDEXINGS; attempt++) {
      for (let isReady = false; !isReady; isReady = this.#isWhole) {
        await this.follow();
        await this.#keepPages();
      }
      const { log, change, began } = this.#position as LogPosition;
      // The table covers every deletion before it began, though it read none. An index from before a forgotten one is refused.
      const position = { log, change: Math.max(change, began) };
      const pages = await inPages(this.#table.snapshotting(CHANGES));
      if (pages !== undefined) return { position, pages };
    }
    return undefined;
  }
}

/** An index, with all changes up to a position. */
interface MadeIndex {
  readonly position: Pick<LogPosition, 'log' | 'change'>;
  readonly pages: readonly Uint8Array[];
}

async function inPages(pieces: Generator<Uint8Array | undefined, boolean>): Promise<Uint8Array[] | undefined> {
  const pauses = new Pauses();
  const pages: Uint8Array[] = [];
  let page = new Uint8Array(PAGE_BYTES);
  let filled = 0;
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value ? [...pages, page.subarray(0, filled)] : undefined;
    for (let from = 0; value !== undefined && from < value.length; ) {
      const part = value.subarray(from, from + PAGE_BYTES - filled);
      page.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < PAGE_BYTES) continue;
      pages.push(page);
      page = new Uint8Array(PAGE_BYTES);
      filled = 0;
    }
    await pauses.afterStep();
  }
}

/** A page of the saved index is damaged, or gone because another index has taken its place. */
class LostIndex extends Error {}

function ifLost(error: unknown): void {
  if (!(error instanceof LostIndex)) throw error;
}

function sizeOf({ content }: LoggedRecord['record'], vector: Float32Array | undefined): number {
  return RECORD_BYTES + content.length + (vector?.byteLength ?? 0);
}
