import type { FilterRule, IndexedField } from '@keepsake/core/adapter';
import { WorkSteps } from '@keepsake/search/remote';
import type { Connection } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { addFields, type Field, indexedField, namesOf } from './field-rows.ts';
import { RECORD_COLUMNS, type RecordRow, readRow } from './record-rows.ts';

/** How many records a transaction indexes. Other work of the process goes on between them. */
const STEP = 250;

/**
 * A value in an indexed field that all records that pass a filter have. The first time that a filter names a field, it
 * indexes the records that are there in steps; if it ends early, the next call continues.
 *
 * @throws MemoryError `ABORTED` if the signal is aborted.
 */
export async function readyField(
  database: Database,
  namespace: number,
  declared: readonly IndexedField[],
  { rules, signal }: { readonly rules: readonly FilterRule[]; readonly signal?: AbortSignal | undefined },
): Promise<Field | undefined> {
  const field = indexedField(declared, rules);
  if (field === undefined) return undefined;
  if (await database.read((connection) => isReady(connection, namespace, field[0]))) return field;
  const steps = new WorkSteps(signal);
  while (!(await database.write((connection) => indexMore(connection, namespace, namesOf(declared))))) {
    if (steps.isDue) await steps.pause();
  }
  return field;
}

function isReady(connection: Connection, namespace: number, field: string): boolean {
  const sql = 'SELECT 1 FROM keepsake_indexed_fields WHERE namespace = ? AND field = ? AND indexed_record IS NULL';
  return connection.first(sql, namespace, field) !== undefined;
}

/** Indexes some more records. Returns whether all are. */
function indexMore(connection: Connection, namespace: number, names: readonly string[]): boolean {
  // Rows of a namespace that was cleared meanwhile would stay for ever.
  if (connection.first('SELECT 1 FROM keepsake_namespaces WHERE namespace = ?', namespace) === undefined) return true;
  const add = 'INSERT OR IGNORE INTO keepsake_indexed_fields (namespace, field, indexed_record) VALUES (?, ?, 0)';
  for (const name of names) connection.run(add, namespace, name);
  const pending = connection.all<{ field: string; indexed_record: number }>(
    'SELECT field, indexed_record FROM keepsake_indexed_fields WHERE namespace = ? AND indexed_record IS NOT NULL',
    namespace,
  );
  if (pending.length === 0) return true;
  const from = Math.min(...pending.map(({ indexed_record }) => indexed_record));
  const sql = `SELECT ${RECORD_COLUMNS} FROM keepsake_records WHERE namespace = ? AND record > ? ORDER BY record LIMIT ?`;
  const rows = connection.all<RecordRow>(sql, namespace, from, STEP);
  const behind = new Set(pending.flatMap(({ field, indexed_record }) => (indexed_record === from ? [field] : [])));
  for (const row of rows) addFields(connection, namespace, row, readRow(row), behind);
  const note = 'UPDATE keepsake_indexed_fields SET indexed_record = ? WHERE namespace = ? AND indexed_record = ?';
  connection.run(note, rows.at(-1)?.record ?? null, namespace, from);
  return rows.length === 0 && behind.size === pending.length;
}
