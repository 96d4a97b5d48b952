import {
  type Embedder,
  type ListOptions,
  type MemoryEntry,
  MemoryError,
  type MemoryRecord,
  type Namespace,
  type NamespaceInfo,
  type NamespaceListOptions,
  type Page,
  type PreparedRecord,
  pageLimit,
  parseFilter,
  throwIfAborted,
  uuidv7,
  writeCursor,
} from '@keepsake/core';
import type { HostedPut, HostedRecords, HostedSearch, Language } from '@keepsake/search';
import { readPlace } from './cursors.ts';
import { type Database, openDatabase } from './database.ts';
import { FactsReader } from './facts.ts';
import { writeRules } from './filter-fields.ts';
import { isBelow, listNamespaces } from './namespaces.ts';
import type { PrismaLike } from './prisma-client.ts';
import { insertStatement, type PutRow, putRecords, updateStatement } from './put-records.ts';
import { liveIn, nowOf, RECORD_COLUMNS, type RecordRow, readRow } from './record-rows.ts';
import { fetchEntries, find } from './search-records.ts';
import { countWritten, readRows, rowsOf, Values, writeRows } from './statement.ts';
import { toStorable } from './storable-text.ts';
import { type Place, placeOf } from './tokens.ts';
import { checkVectors, embedRecords, withVectors } from './vectors.ts';

/** How many expired records are removed at a time. */
const SWEEP = 1_000;

export interface RecordsOptions {
  readonly prisma: PrismaLike;
  readonly language: Language | undefined;
  readonly embedder: Embedder | undefined;
}

/** The records of one namespace. */
export class Records implements HostedRecords {
  readonly place: Place;
  readonly language: Language | undefined;
  readonly embedder: Embedder | undefined;
  readonly facts = new FactsReader();
  readonly #options: RecordsOptions;

  constructor(options: RecordsOptions, namespace: Namespace) {
    this.#options = options;
    this.language = options.language;
    this.embedder = options.embedder;
    this.place = placeOf(namespace);
  }

  at(namespace: Namespace): Records {
    return new Records(this.#options, namespace);
  }

  /** Rejects with `UNSUPPORTED` where there is an embedder, and no place for its vectors. */
  async database(): Promise<Database> {
    const database = await openDatabase(this.#options.prisma, 'store');
    if (this.embedder !== undefined) await checkVectors(database);
    return database;
  }

  async get(id: string): Promise<MemoryRecord | undefined> {
    const row = await this.#row(id);
    return row && readRow(row);
  }

  async put(
    inputs: readonly PreparedRecord[],
    { check, read = false, signal }: HostedPut = {},
  ): Promise<readonly MemoryRecord[]> {
    if (inputs.length === 0) return [];
    const named = inputs.map((input) => ({ ...input, id: input.id ?? uuidv7() }));
    const database = await this.database();
    const { dialect } = database;
    const vectors = this.embedder && (await embedRecords(this.embedder, named, signal));
    if (vectors !== undefined) await this.#removeExpired(named);
    let known = read ? await this.#all(named) : named.map(() => undefined);
    for (;;) {
      const needless = check?.(known);
      if (needless !== undefined) return needless;
      throwIfAborted(signal);
      const [first] = named;
      const there = known[0];
      // A check is asked of one record, which is then to be what it was shown.
      const statement =
        check !== undefined && first !== undefined && there !== undefined
          ? updateStatement(dialect, this.place, first, this.language, there.version)
          : insertStatement(dialect, this.place, named, this.language, check !== undefined);
      const written = this.embedder && vectors ? withVectors(statement, this.embedder, vectors) : statement;
      const rows = await writeRows<PutRow>(database, written, signal);
      if (rows.length > 0) return putRecords(named, rows);
      known = await this.#all(named);
    }
  }

  async delete(id: string, check: (known: MemoryRecord) => void): Promise<boolean> {
    const database = await this.database();
    for (;;) {
      const row = await this.#row(id);
      if (row === undefined) return false;
      check(readRow(row));
      const values = new Values(database.dialect);
      const sql = `DELETE FROM "keepsake_records"
        WHERE "seq" = ${values.whole(Number(row.seq))} AND "version" = ${values.whole(Number(row.version))}
          AND "namespace_key" = ${values.text(this.place.key)} AND "id" = ${values.text(toStorable(id))}`;
      if ((await countWritten(database, { sql, values })) === 1) return true;
    }
  }

  async clear(): Promise<number> {
    const { dialect } = await this.database();
    const values = new Values(dialect);
    return this.#remove(`"namespace_key" = ${values.text(this.place.key)}`, values);
  }

  async clearBelow(): Promise<number> {
    const { dialect } = await this.database();
    const values = new Values(dialect);
    // SQLite takes a range for a quarter of the table, and would rather read all of it.
    const by = dialect === 'sqlite' ? 'INDEXED BY "keepsake_records_namespace_idx"' : '';
    return this.#remove(isBelow(dialect, this.place, values), values, by);
  }

  async list(options: ListOptions | undefined): Promise<Page<MemoryRecord>> {
    const limit = pageLimit(options);
    const rules = parseFilter(options?.filter);
    const { order = 'newest', signal } = options ?? {};
    if (order !== 'newest' && order !== 'oldest') {
      throw new MemoryError('INVALID_ARGUMENT', "order is to be 'newest' or 'oldest'.");
    }
    const kind = `records ${order}`;
    const after = readPlace(options?.cursor, kind);
    const database = await this.database();
    const values = new Values(database.dialect);
    const beyond = after === undefined ? '' : `AND "seq" ${order === 'newest' ? '<' : '>'} ${values.whole(after)}`;
    const sql = `SELECT ${RECORD_COLUMNS} FROM "keepsake_records"
      WHERE "namespace_key" = ${values.text(this.place.key)} ${beyond} AND ${liveIn(database.dialect)}
        AND ${writeRules(database.dialect, rules, values)}
      ORDER BY "seq" ${order === 'newest' ? 'DESC' : 'ASC'} LIMIT ${values.whole(limit + 1)}`;
    const rows = await readRows<RecordRow>(database, { sql, values }, signal);
    throwIfAborted(signal);
    const items = rows.slice(0, limit).map(readRow);
    const last = rows[limit - 1];
    if (rows.length <= limit || last === undefined) return { items };
    return { items, cursor: writeCursor(kind, [Number(last.seq)]) };
  }

  async namespaces(options: NamespaceListOptions | undefined): Promise<Page<NamespaceInfo>> {
    return listNamespaces(await this.database(), this.place, options);
  }

  async search(search: HostedSearch): Promise<MemoryEntry[]> {
    return fetchEntries(this, await find(this, search), search);
  }

  /** Removes what has expired, here and below, a few at a time. Returns how many records there were. */
  async sweep(): Promise<number> {
    const database = await this.database();
    const { dialect } = database;
    for (let count = 0; ; ) {
      const values = new Values(dialect);
      const here = `"namespace_key" = ${values.text(this.place.key)}`;
      const sql = `DELETE FROM "keepsake_records" WHERE "seq" IN (
        SELECT "seq" FROM "keepsake_records"
        WHERE "expires_ms" <= ${nowOf(dialect)} AND (${here} OR ${isBelow(dialect, this.place, values)}) LIMIT ${SWEEP}
      )`;
      const swept = await countWritten(database, { sql, values });
      count += swept;
      if (swept < SWEEP) return count;
    }
  }

  /** Removes the records that meet a condition. Returns how many of them were still there for others. */
  async #remove(condition: string, values: Values, by = ''): Promise<number> {
    const database = await this.database();
    const live = liveIn(database.dialect);
    // First what nobody sees any longer: it does not count.
    await countWritten(database, {
      sql: `DELETE FROM "keepsake_records" ${by} WHERE ${condition} AND NOT ${live}`,
      values,
    });
    return countWritten(database, { sql: `DELETE FROM "keepsake_records" ${by} WHERE ${condition}`, values });
  }

  /** Vectors are kept by the record's place in the order, which it would get anew. */
  async #removeExpired(records: readonly { readonly id: string }[]): Promise<void> {
    const database = await this.database();
    const values = new Values(database.dialect);
    const ids = records.map(({ id }) => [toStorable(id)]);
    const sql = `DELETE FROM "keepsake_records"
      WHERE "namespace_key" = ${values.text(this.place.key)} AND "id" IN (${rowsOf(database.dialect, ids, ['text'], values)}) AND NOT ${liveIn(database.dialect)}`;
    await countWritten(database, { sql, values });
  }

  async #row(id: string): Promise<RecordRow | undefined> {
    const database = await this.database();
    const values = new Values(database.dialect);
    const sql = `SELECT ${RECORD_COLUMNS} FROM "keepsake_records"
      WHERE "namespace_key" = ${values.text(this.place.key)} AND "id" = ${values.text(toStorable(id))} AND ${liveIn(database.dialect)}`;
    const [row] = await readRows<RecordRow>(database, { sql, values });
    return row;
  }

  #all(inputs: readonly { readonly id: string }[]): Promise<(MemoryRecord | undefined)[]> {
    return Promise.all(inputs.map(({ id }) => this.get(id)));
  }
}
