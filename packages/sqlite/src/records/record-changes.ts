import { formatNamespace, type MemoryRecord, type Namespace } from '@keepsake/core';
import { type IdentifiedRecord, keptRecord, type PutOptions, revisedRecord } from '@keepsake/core/adapter';
import type { Connection } from '../database/connection.ts';
import { atOnce, type Interruptible } from '../database/transaction.ts';
import { IndexChanges } from '../search/index-changes.ts';
import { checkAnalysis } from './analysis.ts';
import { addFields, fieldsIn, removeFields } from './field-rows.ts';
import { findNamespace, type NamespaceRow, putNamespace } from './namespace-rows.ts';
import { findRow, listOf, RECORD_COLUMNS, type RecordRow, readRow, writeJson } from './record-rows.ts';
import type { RecordsOptions } from './records-options.ts';

/** The changes of the records of one namespace by one transaction. */
class RecordChanges {
  readonly #connection: Connection;
  readonly #namespace: NamespaceRow;
  readonly #index: IndexChanges;
  /** The fields that filters have an index for. */
  readonly #fields: ReadonlySet<string>;
  /** Ids without a record. */
  readonly #unused = new Set<string>();
  #lastDocument: number;
  #recordCount = 0;

  constructor(connection: Connection, namespace: NamespaceRow, options: RecordsOptions) {
    checkAnalysis(connection, namespace, options);
    this.#connection = connection;
    this.#namespace = namespace;
    this.#index = new IndexChanges(options.language);
    this.#fields = fieldsIn(connection, namespace.namespace);
    this.#lastDocument = namespace.last_document;
  }

  /** Finds out which of some ids have no record, so that puts need not look for each. */
  lookUp(ids: readonly string[]): void {
    const sql = 'SELECT id FROM keepsake_records WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))';
    const rows = this.#connection.all<{ id: string }>(sql, this.#namespace.namespace, listOf(ids));
    const used = new Set(rows.map(({ id }) => id));
    for (const id of ids) if (!used.has(id)) this.#unused.add(id);
  }

  /** Puts a record, unless the existing one stays. */
  put(input: IdentifiedRecord, options: PutOptions, embedded: Embedded | undefined): MemoryRecord {
    const { namespace } = this.#namespace;
    const known = this.#live(input.id);
    const before = known && readRow(known);
    const kept = keptRecord(input, before, options);
    if (kept !== undefined) return kept;
    const record = revisedRecord(input, before, new Date());
    if (known !== undefined && before !== undefined) this.#forget(known, before);
    const row = this.#write(record, known?.record, embedded);
    addFields(this.#connection, namespace, row, record, this.#fields);
    return record;
  }

  remove(row: RecordRow): void {
    this.#forget(row, readRow(row));
    this.#connection.run('DELETE FROM keepsake_records WHERE record = ?', row.record);
    this.#recordCount--;
  }

  /** Writes what was collected. Removes the namespace if it has no records. */
  *apply(): Interruptible<void> {
    const { namespace } = this.#namespace;
    yield* this.#index.apply(this.#connection, namespace);
    this.#connection.run(
      'UPDATE keepsake_namespaces SET last_document = ?, record_count = record_count + ? WHERE namespace = ?',
      ...[this.#lastDocument, this.#recordCount, namespace],
    );
    const gone = 'DELETE FROM keepsake_namespaces WHERE namespace = ? AND record_count = 0';
    if (this.#connection.run(gone, namespace) === 0) return;
    this.#connection.run('DELETE FROM keepsake_indexed_fields WHERE namespace = ?', namespace);
  }

  /** The record with that id. Removes it if it has expired. */
  #live(id: string): RecordRow | undefined {
    // The next put of the same id finds this one.
    if (this.#unused.delete(id)) return undefined;
    const sql = `SELECT ${RECORD_COLUMNS} FROM keepsake_records WHERE namespace = ? AND id = ?`;
    const row = this.#connection.first<RecordRow>(sql, this.#namespace.namespace, id);
    if (row === undefined || row.expires_ms === null || row.expires_ms > Date.now()) return row;
    this.remove(row);
    return undefined;
  }

  /** Removes what the index has of a record. */
  #forget({ record, document }: RecordRow, stored: MemoryRecord): void {
    const { namespace } = this.#namespace;
    removeFields(this.#connection, namespace, record, stored, this.#fields);
    if (document === null) return;
    this.#index.remove(document, stored.content, stored.turn?.speaker);
    const sql = 'DELETE FROM keepsake_vectors WHERE namespace = ? AND document = ?';
    if (this.#connection.run(sql, namespace, document) > 0) this.#index.removeVector();
  }

  /** Writes the row of a record. */
  #write(record: MemoryRecord, known: number | undefined, embedded: Embedded | undefined): WrittenRow {
    const { namespace } = this.#namespace;
    const document = record.index ? ++this.#lastDocument : null;
    const { turn, createdAt, updatedAt, expiresAt } = record;
    const flags = document === null ? 0 : this.#index.add(document, record.content, turn?.speaker);
    const values = [
      ...[writeJson(record), record.version, Date.parse(createdAt), Date.parse(updatedAt)],
      ...[expiresAt === undefined ? null : Date.parse(expiresAt), document, flags],
      ...[turn?.thread ?? null, turn?.index ?? null, turn?.speaker ?? null],
    ];
    if (document !== null && embedded !== undefined) {
      const sql = 'INSERT INTO keepsake_vectors (namespace, document, embedder, vector) VALUES (?, ?, ?, ?)';
      this.#connection.run(sql, namespace, document, embedded.embedder, embedded.vector);
    }
    if (known !== undefined) {
      this.#connection.run(UPDATE, ...values, known);
      return { record: known, document };
    }
    this.#recordCount++;
    return { record: this.#connection.insert(INSERT, ...values, namespace, record.id), document };
  }
}

type WrittenRow = Pick<RecordRow, 'record' | 'document'>;

/** A vector with the id of its embedder. */
export interface Embedded {
  readonly embedder: string;
  /** 32-bit floats of this machine. */
  readonly vector: Uint8Array;
}

const COLUMNS = [
  ...['json', 'version', 'created_ms', 'updated_ms', 'expires_ms', 'document', 'flags'],
  ...['thread', 'turn_index', 'speaker'],
];
const UPDATE = `UPDATE keepsake_records SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE record = ?`;
const INSERT = `INSERT INTO keepsake_records (${COLUMNS.join(', ')}, namespace, id)
  VALUES (${COLUMNS.map(() => '?').join(', ')}, ?, ?)`;

/** How many ids are looked up at a time. */
const LOOK_UP_AT_ONCE = 250;

/** What a call puts. */
export interface RecordsToPut {
  readonly records: readonly IdentifiedRecord[];
  readonly options: PutOptions;
  /** The vector of each record that has one. */
  readonly embedded: readonly (Embedded | undefined)[];
}

/** Puts records into a namespace, and creates it if it is missing. */
export function* putRecords(
  connection: Connection,
  namespace: Namespace,
  own: RecordsOptions,
  { records, options, embedded }: RecordsToPut,
): Interruptible<MemoryRecord[]> {
  const changes = new RecordChanges(connection, putNamespace(connection, namespace), own);
  const result: MemoryRecord[] = [];
  for (const [index, record] of records.entries()) {
    if (records.length > 1 && index % LOOK_UP_AT_ONCE === 0) {
      changes.lookUp(records.slice(index, index + LOOK_UP_AT_ONCE).map(({ id }) => id));
      yield;
    }
    result.push(changes.put(record, options, embedded[index]));
    yield;
  }
  yield* changes.apply();
  return result;
}

/** Removes records of a namespace. */
function removeRows(
  connection: Connection,
  namespace: NamespaceRow,
  options: RecordsOptions,
  rows: readonly RecordRow[],
): void {
  const changes = new RecordChanges(connection, namespace, options);
  for (const row of rows) changes.remove(row);
  atOnce(changes.apply());
}

/** Removes a record, if `decide` does not throw. Returns whether it was there. */
export function removeRecord(
  connection: Connection,
  namespace: Namespace,
  options: RecordsOptions,
  id: string,
  decide: (row: RecordRow) => void,
): boolean {
  const row = findNamespace(connection, namespace);
  const known = row && findRow(connection, row.namespace, id);
  if (row === undefined || known === undefined) return false;
  decide(known);
  removeRows(connection, row, options, [known]);
  return true;
}

/** Removes expired records of a namespace, at most `limit`. Returns how many. */
export function removeExpired(
  connection: Connection,
  namespace: Namespace,
  options: RecordsOptions,
  limit: number,
): number {
  const row = findNamespace(connection, namespace);
  const sql = `SELECT ${RECORD_COLUMNS} FROM keepsake_records WHERE namespace = ? AND expires_ms <= ? LIMIT ?`;
  const expired = row === undefined ? [] : connection.all<RecordRow>(sql, row.namespace, Date.now(), limit);
  if (row !== undefined && expired.length > 0) removeRows(connection, row, options, expired);
  return expired.length;
}

/** Takes a namespace away; its rows are removed later. Returns how many of its records had not expired. */
export function clearNamespace(connection: Connection, namespace: Namespace): number {
  const sql = `DELETE FROM keepsake_namespaces WHERE path = ? RETURNING namespace, record_count - (
      SELECT count(*) FROM keepsake_records r WHERE r.namespace = keepsake_namespaces.namespace AND expires_ms <= ?
    ) AS count`;
  const row = connection.first<{ namespace: number; count: number }>(sql, formatNamespace(namespace), Date.now());
  if (row === undefined) return 0;
  connection.run('INSERT INTO keepsake_cleared VALUES (?)', row.namespace);
  return row.count;
}
