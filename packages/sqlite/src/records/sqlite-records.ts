import type { MemoryEntry, MemoryRecord, Namespace, NamespaceInfo, Page } from '@keepsake/core';
import {
  checkRemoval,
  type IdentifiedRecord,
  keptRecord,
  matchesFilter,
  type NamespaceList,
  type NamespaceRecords,
  type PutOptions,
  type RecordList,
  type RecordSearch,
  type RemovalOptions,
  throwIfAborted,
} from '@keepsake/core/adapter';
import { embed } from '@keepsake/search';
import { AnalysisAhead, searchTree, WorkSteps } from '@keepsake/search/remote';
import { hasClearedRows } from '../database/cleared-rows.ts';
import type { Connection } from '../database/connection.ts';
import { cursorSeal } from '../database/cursor-seal.ts';
import { afterDeletion, eraseDeleted } from '../database/erase-deleted.ts';
import { atOnce } from '../database/transaction.ts';
import { SqlitePlace } from '../search/sqlite-place.ts';
import { VectorCopy, vectorBytes } from '../search/vector-copy.ts';
import { readyField } from './index-fields.ts';
import { findNamespace, listNamespaces, namespacesBelow } from './namespace-rows.ts';
import { clearNamespace, type Embedded, putRecords, removeExpired, removeRecord } from './record-changes.ts';
import { findRow, LIVE, RECORD_COLUMNS, type RecordRow, readRow } from './record-rows.ts';
import type { RecordsOptions } from './records-options.ts';

/** Records with more text together are put in steps. In UTF-16 units. */
const LONG_TEXT = 8_192;
const MANY_RECORDS = 32;

/** How many records one step of a list or a sweep reads. Other work of the process goes on between steps. */
const STEP = 500;

/** The records of one namespace. */
export class SqliteRecords implements NamespaceRecords {
  readonly #namespace: Namespace;
  readonly #options: RecordsOptions;
  readonly #vectors: VectorCopy | undefined;
  readonly #ahead: AnalysisAhead;

  constructor(namespace: Namespace, options: RecordsOptions) {
    this.#namespace = namespace;
    this.#options = options;
    this.#vectors = options.embedder && new VectorCopy(options.embedder);
    this.#ahead = new AnalysisAhead(options.language);
  }

  get(id: string): Promise<MemoryRecord | undefined> {
    return this.#options.database.read((connection) => {
      const row = this.#find(connection, id);
      return row && readRow(row);
    });
  }

  async put(records: readonly IdentifiedRecord[], options: PutOptions): Promise<MemoryRecord[]> {
    const embedded = await this.#embed(records, options);
    throwIfAborted(options.signal);
    const { database } = this.#options;
    const put = (connection: Connection) =>
      putRecords(connection, this.#namespace, this.#options, { records, options, embedded });
    const change = () =>
      isLong(records) ? database.writeLong(put, true) : database.write((connection) => atOnce(put(connection)));
    return this.#ahead.before(change, { records, signal: options.signal });
  }

  delete(id: string, options: RemovalOptions): Promise<boolean> {
    const change = () =>
      this.#options.database.write((connection) =>
        removeRecord(connection, this.#namespace, this.#options, id, (row) => checkRemoval(readRow(row), options)),
      );
    return this.#ahead.before(change);
  }

  async clear(descendants: boolean): Promise<number> {
    const { database } = this.#options;
    const top = this.#namespace;
    const count = await this.#ahead.before(() =>
      database.writeLong(function* (connection) {
        const below = descendants ? namespacesBelow(connection, top) : [];
        let removed = 0;
        for (const namespace of [top, ...below]) {
          removed += clearNamespace(connection, namespace);
          yield;
        }
        return removed;
      }),
    );
    await afterDeletion(this.#eraseCleared());
    return count;
  }

  async #eraseCleared(): Promise<void> {
    const { database } = this.#options;
    if (await database.read(hasClearedRows)) await eraseDeleted(database);
  }

  async list({ limit, order, idPrefix = '', rules, cursor, signal }: RecordList): Promise<Page<MemoryRecord>> {
    const kind = `records ${order}`;
    const seal = await cursorSeal(this.#options.database);
    let after = (await seal.read(cursor, kind, this.#namespace)) ?? (order === 'oldest' ? 0 : Number.MAX_SAFE_INTEGER);
    const page: { readonly place: number; readonly record: MemoryRecord }[] = [];
    // One more than a page tells whether there is a next page. Nearly all records are current, so that mostly one step is enough.
    const field = await this.#indexedValue({ rules, signal });
    const steps = new WorkSteps(signal);
    for (let size = limit + 1; page.length <= limit; size = STEP) {
      if (steps.isDue) await steps.pause();
      const rows = await this.#step(order, field, after, Math.min(size, STEP));
      throwIfAborted(signal);
      for (const row of rows) {
        const record = readRow(row);
        if (record.id.startsWith(idPrefix) && matchesFilter(rules, record)) page.push({ place: row.record, record });
      }
      after = rows.at(-1)?.record ?? after;
      if (rows.length < Math.min(size, STEP)) break;
    }
    const items = page.slice(0, limit).map(({ record }) => record);
    const last = page[limit - 1];
    if (page.length <= limit || last === undefined) return { items };
    return { items, cursor: await seal.write(kind, this.#namespace, last.place) };
  }

  namespaces(list: NamespaceList): Promise<NamespaceInfo[]> {
    return this.#options.database.read((connection) => listNamespaces(connection, this.#namespace, list));
  }

  async search(search: RecordSearch): Promise<MemoryEntry[]> {
    const entries = await this.#search([this.#namespace], search);
    return entries.map(({ namespace, ...entry }) => entry);
  }

  async searchTree(search: RecordSearch): Promise<MemoryEntry[]> {
    const { database } = this.#options;
    const below = await database.read((connection) => namespacesBelow(connection, this.#namespace));
    return this.#search([this.#namespace, ...below], search);
  }

  async compact(): Promise<void> {
    await this.#removeExpired(this.#namespace);
    await eraseDeleted(this.#options.database);
  }

  async #search(namespaces: readonly Namespace[], search: RecordSearch): Promise<MemoryEntry[]> {
    const { embedder, language } = this.#options;
    const [vector] = embedder === undefined ? [] : await embed(embedder, [search.query], search.signal);
    throwIfAborted(search.signal);
    // Expired records must not count for the weights of words.
    for (const namespace of namespaces) await this.#removeExpired(namespace);
    const now = new Date();
    const open = (namespace: Namespace) => {
      const vectors = namespace === this.#namespace ? this.#vectors : embedder && new VectorCopy(embedder);
      return new SqlitePlace(namespace, search, vector, now, { ...this.#options, vectors });
    };
    return searchTree(namespaces, open, search, { language, now });
  }

  async #removeExpired(namespace: Namespace): Promise<void> {
    const { database } = this.#options;
    const sql = 'SELECT 1 FROM keepsake_records WHERE namespace = ? AND expires_ms <= ? LIMIT 1';
    const hasExpired = (connection: Connection) => {
      const row = findNamespace(connection, namespace);
      return row !== undefined && connection.first(sql, row.namespace, Date.now()) !== undefined;
    };
    while (await database.read(hasExpired)) {
      await database.write((connection) => removeExpired(connection, namespace, this.#options, STEP));
    }
  }

  /** The next rows in order, or, for a value in an indexed field, the next that have it. */
  #step(
    order: RecordList['order'],
    field: readonly [field: string, value: string] | undefined,
    after: number,
    size: number,
  ): Promise<readonly RecordRow[]> {
    const [sign, direction] = order === 'oldest' ? ['>', 'ASC'] : ['<', 'DESC'];
    const columns = RECORD_COLUMNS.split(', ').map((column) => `r.${column}`);
    const sql =
      field === undefined
        ? `SELECT ${RECORD_COLUMNS} FROM keepsake_records WHERE namespace = ? AND record ${sign} ? AND ${LIVE}
           ORDER BY record ${direction} LIMIT ?`
        : `SELECT ${columns} FROM keepsake_fields f CROSS JOIN keepsake_records r ON r.record = f.record
           WHERE f.namespace = ? AND f.field = ? AND f.value = ? AND f.record ${sign} ? AND ${LIVE}
           ORDER BY f.record ${direction} LIMIT ?`;
    return this.#options.database.read((connection) => {
      const row = findNamespace(connection, this.#namespace);
      if (row === undefined) return [];
      return connection.all<RecordRow>(sql, row.namespace, ...(field ?? []), after, Date.now(), size);
    });
  }

  /** A value in an indexed field that all records that pass a filter have. */
  async #indexedValue(list: Pick<RecordList, 'rules' | 'signal'>) {
    const { database, indexed } = this.#options;
    if (indexed.length === 0 || list.rules.length === 0) return undefined;
    const row = await database.read((connection) => findNamespace(connection, this.#namespace));
    return row && readyField(database, row.namespace, indexed, list);
  }

  #find(connection: Connection, id: string): RecordRow | undefined {
    const row = findNamespace(connection, this.#namespace);
    return row && findRow(connection, row.namespace, id);
  }

  /** The vector of each record that search finds; none for a retry, because embedding may cost money. */
  async #embed(records: readonly IdentifiedRecord[], options: PutOptions): Promise<(Embedded | undefined)[]> {
    const { embedder } = this.#options;
    if (embedder === undefined) return [];
    const [first] = records as [IdentifiedRecord];
    if (options.unlessSame && keptRecord(first, await this.get(first.id), options) !== undefined) return [];
    const texts = records.flatMap(({ index, content }) => (index ? [content] : []));
    const vectors = texts.length === 0 ? [] : await embed(embedder, texts, options.signal);
    return records.map(({ index }) => {
      const vector = index ? vectors.shift() : undefined;
      return vector && { embedder: embedder.id, vector: vectorBytes(vector) };
    });
  }
}

/** Whether putting these records can take longer than a step. */
function isLong(records: readonly IdentifiedRecord[]): boolean {
  return records.length > MANY_RECORDS || records.reduce((sum, { content }) => sum + content.length, 0) > LONG_TEXT;
}
