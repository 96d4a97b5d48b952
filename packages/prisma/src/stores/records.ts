import type { Embedder, MemoryEntry, MemoryRecord, Namespace, NamespaceInfo, Page } from '@keepsake/core';
import {
  checkRemoval,
  type IdentifiedRecord,
  type IndexedField,
  keptRecord,
  type NamespaceList,
  type NamespaceRecords,
  type PutOptions,
  type RecordList,
  type RecordSearch,
  type RemovalOptions,
  revisedSource,
  throwIfAborted,
} from '@keepsake/core/adapter';
import type { Language } from '@keepsake/search';
import { AnalysisAhead, searchTree } from '@keepsake/search/remote';
import { liveIn, nowOf, readNow } from '../database/clock.ts';
import { cursorSeal } from '../database/cursor-seal.ts';
import { type Database, openDatabase } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { eraseDeleted } from '../database/erase-deleted.ts';
import type { PrismaLike } from '../database/prisma-client.ts';
import { rowsOf, Values } from '../database/statement.ts';
import { toStorable } from '../database/storable-text.ts';
import { embedQuery } from '../search/compare-vectors.ts';
import { DatabasePlace } from '../search/database-place.ts';
import { indexedValue } from '../search/indexed-value.ts';
import { fetchEntries, find } from '../search/search-records.ts';
import { clearRecords } from './clear-records.ts';
import { tryToIndex } from './index-fields.ts';
import { indexedList, plainList } from './list-statements.ts';
import { type NamespaceKey, namespaceKeyOf } from './namespace-key.ts';
import { isBelow, isHere, listNamespaces } from './namespaces.ts';
import { noteChanges, packAll } from './pack-words.ts';
import {
  type DescribedRecord,
  describeRecord,
  insertStatement,
  type PutRow,
  putRecords,
  updateStatement,
} from './put-records.ts';
import { RECORD_COLUMNS, type RecordRow, readRow } from './record-rows.ts';
import { checkVectors, embedRecords, withVectors } from './vectors.ts';

/** How many expired records one statement removes. */
const SWEEP = 1_000;

export interface RecordsOptions {
  readonly prisma: PrismaLike;
  readonly language: Language | undefined;
  readonly embedder: Embedder | undefined;
  /** The fields that an index serves. */
  readonly indexed: readonly IndexedField[];
}

/** The records of one namespace. */
export class Records implements NamespaceRecords {
  readonly namespace: NamespaceKey;
  readonly language: Language | undefined;
  readonly embedder: Embedder | undefined;
  readonly indexed: readonly IndexedField[];
  readonly #options: RecordsOptions;
  readonly #segments: Namespace;
  readonly #ahead: AnalysisAhead;
  /** Known once the database was used. */
  #dialect: Dialect | undefined;

  constructor(options: RecordsOptions, namespace: Namespace) {
    this.#options = options;
    this.#segments = namespace;
    this.language = options.language;
    this.embedder = options.embedder;
    this.indexed = options.indexed;
    this.namespace = namespaceKeyOf(namespace);
    this.#ahead = new AnalysisAhead(options.language);
  }

  /** @throws MemoryError `UNSUPPORTED` if there is an embedder, but no table for its vectors. */
  async database(): Promise<Database> {
    const database = await openDatabase(this.#options.prisma, 'store');
    if (this.embedder !== undefined) await checkVectors(database);
    this.#dialect = database.dialect;
    return database;
  }

  async get(id: string): Promise<MemoryRecord | undefined> {
    const row = await this.#row(id);
    return row && readRow(row);
  }

  put(records: readonly IdentifiedRecord[], options: PutOptions): Promise<readonly MemoryRecord[]> {
    const prepared = new Map<IdentifiedRecord, DescribedRecord>();
    const prepare = (record: IdentifiedRecord) => {
      if (this.#dialect !== undefined) prepared.set(record, this.#describe(this.#dialect, record));
    };
    return this.#ahead.before(() => this.#put(records, prepared, options), {
      records,
      signal: options.signal,
      prepare,
    });
  }

  #describe(dialect: Dialect, record: IdentifiedRecord): DescribedRecord {
    return describeRecord(dialect, this.namespace, record, this.language);
  }

  async #put(
    named: readonly IdentifiedRecord[],
    prepared: ReadonlyMap<IdentifiedRecord, DescribedRecord>,
    options: PutOptions,
  ): Promise<readonly MemoryRecord[]> {
    const { unlessSame = false, signal } = options;
    const [first] = named as [IdentifiedRecord];
    // The statement checks the conditions of a batch.
    const isConditional = named.length === 1 && (first.ifVersion !== undefined || unlessSame);
    const database = await this.database();
    const { dialect } = database;
    const describe = (record: IdentifiedRecord) => prepared.get(record) ?? this.#describe(dialect, record);
    const vectors = this.embedder && (await embedRecords(this.embedder, named, signal));
    if (vectors !== undefined) await this.#removeExpired(named);
    // Reads first only if the condition is about an existing record. Otherwise the statement checks that there is none.
    const reads = isConditional && (unlessSame || (first.ifVersion ?? 0) > 0);
    let known = reads ? await this.get(first.id) : undefined;
    for (;;) {
      const kept = isConditional ? keptRecord(first, known, options) : undefined;
      if (kept !== undefined) return [kept];
      throwIfAborted(signal);
      const isUpdate = isConditional && known !== undefined;
      const revised = isUpdate ? [{ ...first, source: revisedSource(first.source, known?.source) }] : named;
      const statement = isUpdate
        ? updateStatement(dialect, this.namespace, revised[0] as IdentifiedRecord, describe, known?.version ?? 0)
        : insertStatement(dialect, this.namespace, named, describe, isConditional);
      const written = this.embedder && vectors ? withVectors(statement, this.embedder, vectors) : statement;
      const rows = await database.writeRows<PutRow>(written, signal);
      if (rows.length > 0) {
        const characters = named.reduce((sum, { content, index }) => sum + (index ? content.length : 0), 0);
        await noteChanges(database, this.namespace, rows.length, characters);
        return putRecords(revised, rows);
      }
      if (isConditional) known = await this.get(first.id);
    }
  }

  delete(id: string, options: RemovalOptions): Promise<boolean> {
    return this.#ahead.before(() => this.#delete(id, options));
  }

  async #delete(id: string, options: RemovalOptions): Promise<boolean> {
    const database = await this.database();
    for (;;) {
      const row = await this.#row(id);
      if (row === undefined) return false;
      checkRemoval(readRow(row), options);
      const values = new Values(database.dialect);
      const sql = `DELETE FROM "keepsake_records"
        WHERE "seq" = ${values.whole(Number(row.seq))} AND "version" = ${values.whole(Number(row.version))}
          AND "namespace_key" = ${values.text(this.namespace.key)} AND "id" = ${values.text(toStorable(id))}`;
      if ((await database.countWritten({ sql, values })) !== 1) continue;
      await noteChanges(database, this.namespace, 1);
      return true;
    }
  }

  clear(descendants: boolean): Promise<number> {
    return this.#ahead.before(async () => clearRecords(await this.database(), this.namespace, descendants));
  }

  async list({ limit, order, idPrefix, rules, cursor, signal }: RecordList): Promise<Page<MemoryRecord>> {
    const kind = `records ${order}`;
    const database = await this.database();
    const seal = await cursorSeal(database);
    const after = await seal.read(cursor, kind, this.#segments);
    const rows = await this.#listRows(database, { limit, order, idPrefix, rules, signal }, after);
    throwIfAborted(signal);
    const items = rows.slice(0, limit).map(readRow);
    const last = rows[limit - 1];
    if (rows.length <= limit || last === undefined) return { items };
    return { items, cursor: await seal.write(kind, this.#segments, Number(last.seq)) };
  }

  /** One row more than a page has, if there is one. */
  async #listRows(
    database: Database,
    list: Omit<RecordList, 'cursor'>,
    after: number | undefined,
  ): Promise<RecordRow[]> {
    const { rules, signal } = list;
    const value = indexedValue(this.indexed, rules);
    for (let attempt = 0; value !== undefined && attempt < 2; attempt++) {
      const statement = indexedList(database.dialect, this.namespace, list, after, value);
      const rows = await database.readRows<RecordRow | { readonly seq: null }>(statement, signal);
      if (rows.length > 0) return rows.filter((row): row is RecordRow => row.seq !== null);
      if (attempt > 0 || !(await tryToIndex(database, this.namespace, this.indexed, signal))) break;
    }
    return database.readRows<RecordRow>(plainList(database.dialect, this.namespace, list, after), signal);
  }

  async namespaces(list: NamespaceList): Promise<NamespaceInfo[]> {
    return listNamespaces(await this.database(), this.namespace, list);
  }

  async search(search: RecordSearch): Promise<MemoryEntry[]> {
    const entries = await fetchEntries(this, await find(this, search), search);
    return entries.filter((entry) => entry !== undefined);
  }

  async searchTree(search: RecordSearch): Promise<MemoryEntry[]> {
    const { signal } = search;
    const database = await this.database();
    const [below, now, queried] = await Promise.all([
      listNamespaces(database, this.namespace, { limit: Infinity, empty: false }),
      readNow(database, signal),
      this.embedder && embedQuery(this.embedder, search),
    ]);
    throwIfAborted(signal);
    const open = (namespace: Namespace) => {
      const records = namespace === this.#segments ? this : new Records(this.#options, namespace);
      return new DatabasePlace(records, search, { now, queried });
    };
    const namespaces = [this.#segments, ...below.map(({ namespace }) => namespace)];
    return searchTree(namespaces, open, search, { language: this.language, now });
  }

  /** Removes expired records of this namespace and those below, and what SQLite's files keep of deleted ones. */
  async compact(): Promise<void> {
    await this.sweep();
    const database = await this.database();
    if (!database.isTransaction) await this.#packAll(database);
    await eraseDeleted(database, 'store');
  }

  /** Writes all blocks again in which records have changed, here and in the namespaces below. */
  async #packAll(database: Database): Promise<void> {
    const below = await listNamespaces(database, this.namespace, { limit: Infinity, empty: true });
    for (const namespace of [this.namespace, ...below.map(({ namespace }) => namespaceKeyOf(namespace))]) {
      await packAll(database, namespace, 0);
    }
  }

  /** Removes expired records from this namespace and those below, and returns how many there were. */
  async sweep(): Promise<number> {
    const database = await this.database();
    const { dialect } = database;
    for (let count = 0; ; ) {
      const values = new Values(dialect);
      const here = isHere(this.namespace, values);
      const sql = `DELETE FROM "keepsake_records" WHERE "seq" IN (
        SELECT "seq" FROM "keepsake_records"
        WHERE "expires_ms" <= ${nowOf(dialect)} AND (${here} OR ${isBelow(dialect, this.namespace, values)}) LIMIT ${SWEEP}
      )`;
      const swept = await database.countWritten({ sql, values });
      count += swept;
      if (swept < SWEEP) return count;
    }
  }

  /** Vectors are stored under the number of the record, which changes if the put replaces an expired record. */
  async #removeExpired(records: readonly { readonly id: string }[]): Promise<void> {
    const database = await this.database();
    const values = new Values(database.dialect);
    const ids = records.map(({ id }) => [toStorable(id)]);
    const sql = `DELETE FROM "keepsake_records"
      WHERE "namespace_key" = ${values.text(this.namespace.key)} AND "id" IN (${rowsOf(database.dialect, ids, ['text'], values)}) AND NOT ${liveIn(database.dialect)}`;
    await database.countWritten({ sql, values });
  }

  async #row(id: string): Promise<RecordRow | undefined> {
    const database = await this.database();
    const values = new Values(database.dialect);
    const sql = `SELECT ${RECORD_COLUMNS} FROM "keepsake_records"
      WHERE "namespace_key" = ${values.text(this.namespace.key)} AND "id" = ${values.text(toStorable(id))} AND ${liveIn(database.dialect)}`;
    const [row] = await database.readRows<RecordRow>({ sql, values });
    return row;
  }
}
