import type { MemoryEntry, MemoryRecord, Namespace, NamespaceInfo, Page } from '@keepsake/core';
import {
  checkRemoval,
  firstVersion,
  type IdentifiedRecord,
  keptRecord,
  matchesFilter,
  type NamespaceList,
  type NamespaceRecords,
  type PutOptions,
  type RecordList,
  type RecordSearch,
  type RemovalOptions,
  revisedRecord,
  throwIfAborted,
} from '@keepsake/core/adapter';
import { Pauses } from '@keepsake/internal';
import { searchPlace, searchPlaces, vectorsOf } from '../records/place-search.ts';
import { requiredValues } from '../records/required-values.ts';
import { type Indexing, LogTable } from './log-table.ts';
import type { LoggedRecord, LogRange, RecordLog, RecordLogs } from './record-log.ts';
import type { TablePool } from './table-pool.ts';

/** How many records one step of a list reads, if not all of them may be on the page. */
const STEP = 500;

/** The records of one namespace of {@link RecordLogs}, searched in this process. */
export class LogRecords implements NamespaceRecords {
  readonly #logs: RecordLogs;
  readonly #namespace: Namespace;
  readonly #indexing: Indexing;
  readonly #pool: TablePool;
  readonly #log: RecordLog;

  constructor(logs: RecordLogs, namespace: Namespace, indexing: Indexing, pool: TablePool) {
    this.#logs = logs;
    this.#namespace = namespace;
    this.#indexing = indexing;
    this.#pool = pool;
    this.#log = logs.open(namespace);
  }

  async get(id: string): Promise<MemoryRecord | undefined> {
    const [entry] = await this.#log.read([id]);
    return entry?.record;
  }

  async put(records: readonly IdentifiedRecord[], options: PutOptions): Promise<MemoryRecord[]> {
    const vectors = await this.#vectorsOf(records, options);
    throwIfAborted(options.signal);
    let result: MemoryRecord[] = [];
    const first = firstVersion();
    const ids = [...new Set(records.map(({ id }) => id))];
    await this.#log.change(
      ids,
      (storedRecords) => {
        const [kept] = records.map((record) => keptRecord(record, storedRecords.get(record.id), options));
        result = kept ? [kept] : [];
        return (now) => {
          if (kept) return [];
          const latest = new Map(storedRecords);
          result = records.map((record) => {
            const put = revisedRecord(record, latest.get(record.id), now, first);
            latest.set(record.id, put);
            return put;
          });
          return result.map((put, place) => ({ put, vector: vectors[place] }));
        };
      },
      options.signal,
    );
    this.#pool.noteWritten(keyOf(this.#namespace), result.length, () => this.#tableOf(this.#namespace));
    return result;
  }

  async delete(id: string, options: RemovalOptions): Promise<boolean> {
    let isThere = false;
    await this.#log.change([id], (records) => {
      const record = records.get(id);
      isThere = record !== undefined;
      if (record !== undefined) checkRemoval(record, options);
      return () => (isThere ? [{ delete: id }] : []);
    });
    return isThere;
  }

  clear(descendants: boolean): Promise<number> {
    return descendants ? this.#logs.clearTree(this.#namespace) : this.#log.clear();
  }

  async list({ limit, order, idPrefix = '', rules, cursor, signal }: RecordList): Promise<Page<MemoryRecord>> {
    const kind = `records ${order}`;
    const seal = await this.#logs.cursorSeal();
    let after = await seal.read(cursor, kind, this.#namespace);
    const page: LoggedRecord[] = [];
    const pauses = new Pauses();
    // One more than a page tells whether there is a next page. Nearly all records are current, so that mostly one step is enough.
    for (let [size, isLast] = [limit + 1, false]; page.length <= limit && !isLast; size = STEP) {
      const next = await this.#next(rules, { order, after, limit: size });
      throwIfAborted(signal);
      for (const one of next.records) {
        if (one.record.id.startsWith(idPrefix) && matchesFilter(rules, one.record)) page.push(one);
      }
      ({ isLast, after } = next);
      await pauses.afterStep();
    }
    const items = page.slice(0, limit).map(({ record }) => record);
    const last = page[limit - 1];
    if (page.length <= limit || last === undefined) return { items };
    return { items, cursor: await seal.write(kind, this.#namespace, last.created) };
  }

  namespaces(list: NamespaceList): Promise<readonly NamespaceInfo[]> {
    return this.#logs.nextNamespaces(this.#namespace, list);
  }

  search(search: RecordSearch): Promise<MemoryEntry[]> {
    return searchPlace(this.#tableOf(this.#namespace), search, this.#indexing);
  }

  async searchTree(search: RecordSearch): Promise<MemoryEntry[]> {
    const namespaces = [this.#namespace, ...(await this.#logs.namespacesBelow(this.#namespace))];
    return searchPlaces(namespaces, (namespace) => this.#tableOf(namespace), search, this.#indexing);
  }

  compact(): Promise<void> {
    return this.#log.compact();
  }

  close(): Promise<void> {
    return this.#pool.settle();
  }

  #tableOf(namespace: Namespace): LogTable {
    const log = namespace === this.#namespace ? this.#log : this.#logs.open(namespace);
    const key = keyOf(namespace);
    return this.#pool.open(key, () => new LogTable(log, this.#indexing, (table) => this.#pool.note(key, table)));
  }

  /** The next records: those that an index leads to, or all. */
  async #next(rules: RecordList['rules'], range: LogRange): Promise<NextRecords> {
    const listed = await this.#candidates(rules, range);
    if (listed === undefined) {
      const records = await this.#log.list(range);
      return { records, isLast: records.length < range.limit, after: records.at(-1)?.created ?? range.after };
    }
    const records = listed.length === 0 ? [] : await this.#log.read(listed.map(({ id }) => id));
    const sign = range.order === 'oldest' ? 1 : -1;
    return {
      records: [...records].sort((a, b) => sign * (a.created - b.created)),
      isLast: listed.length < range.limit,
      after: listed.at(-1)?.created ?? range.after,
    };
  }

  async #candidates(rules: RecordList['rules'], range: LogRange) {
    if (requiredValues(this.#indexing.indexed, rules).length === 0) return undefined;
    const table = this.#tableOf(this.#namespace);
    if (range.after === undefined) await table.follow();
    return table.read((view) => view.candidates(rules, range));
  }

  /** None for a retry, because embedding may cost money. */
  async #vectorsOf(
    records: readonly IdentifiedRecord[],
    options: PutOptions,
  ): Promise<readonly (Float32Array | undefined)[]> {
    const [first] = records as [IdentifiedRecord];
    const { embedder } = this.#indexing;
    if (embedder !== undefined && options.unlessSame && keptRecord(first, await this.get(first.id), options)) return [];
    return vectorsOf(records, embedder, options.signal);
  }
}

function keyOf(namespace: Namespace): string {
  return JSON.stringify(namespace);
}

/** A step of a list. */
interface NextRecords {
  readonly records: readonly LoggedRecord[];
  /** Whether there are no others. */
  readonly isLast: boolean;
  /** The place of the last one in the order of creation. */
  readonly after: number | undefined;
}
