import type { FilterValue, MemoryRecord } from '@keepsake/core';
import { type FilterRule, type IndexedField, requiredValues, valueKey } from '@keepsake/core/adapter';
import type { Connection } from '../database/connection.ts';
import type { RecordRow } from './record-rows.ts';

/** Longer names are cut. */
const MAX_LENGTH = 200;

/** A value in a field, as the index has it. */
export type Field = readonly [field: string, value: string];

/** A value that all records that pass a filter have in a declared field: an index can lead to them. */
export function indexedField(declared: readonly IndexedField[], rules: readonly FilterRule[]): Field | undefined {
  const [first] = requiredValues(declared, rules);
  return first && [nameOf(first.field.part, first.field.field), valueKey(first.value)];
}

/** The names of declared fields in the tables. */
export function namesOf(declared: readonly IndexedField[]): string[] {
  return declared.map(({ part, field }) => nameOf(part, field));
}

/** The fields of a namespace that the index has, or is getting. */
export function fieldsIn(connection: Connection, namespace: number): ReadonlySet<string> {
  const sql = 'SELECT field FROM keepsake_indexed_fields WHERE namespace = ?';
  return new Set(connection.all<{ field: string }>(sql, namespace).map(({ field }) => field));
}

/** Adds what the index has of a record. */
export function addFields(
  connection: Connection,
  namespace: number,
  { record, document }: Pick<RecordRow, 'record' | 'document'>,
  stored: MemoryRecord,
  names: ReadonlySet<string>,
): void {
  const sql =
    'INSERT OR IGNORE INTO keepsake_fields (namespace, field, value, record, document) VALUES (?, ?, ?, ?, ?)';
  for (const [field, value] of fieldsOf(stored, names)) connection.run(sql, namespace, field, value, record, document);
}

export function removeFields(
  connection: Connection,
  namespace: number,
  record: number,
  stored: MemoryRecord,
  names: ReadonlySet<string>,
): void {
  const sql = 'DELETE FROM keepsake_fields WHERE namespace = ? AND field = ? AND value = ? AND record = ?';
  for (const [field, value] of fieldsOf(stored, names)) connection.run(sql, namespace, field, value, record);
}

/** The next documents with a value in a field, by rising number of their records. */
export function documentsWith(
  connection: Connection,
  namespace: number,
  [field, value]: Field,
  { after, limit }: { readonly after: number; readonly limit: number },
): { readonly documents: readonly number[]; readonly rows: number; readonly lastRecord: number } {
  const sql = `SELECT json_group_array(document) AS documents, count(*) AS count, max(record) AS last FROM (
      SELECT document, record FROM keepsake_fields WHERE namespace = ? AND field = ? AND value = ? AND record > ?
      ORDER BY record LIMIT ?
    )`;
  const row = connection.first<{ documents: string; count: number; last: number | null }>(
    sql,
    ...[namespace, field, value, after, limit],
  );
  const documents = JSON.parse(row?.documents ?? '[]') as (number | null)[];
  return {
    // A search does not find the others.
    documents: documents.filter((document) => document !== null),
    rows: row?.count ?? 0,
    lastRecord: row?.last ?? after,
  };
}

/** The fields of a record that can be equal to a value: lists and objects can't. */
function fieldsOf({ metadata, source = {} }: MemoryRecord, names: ReadonlySet<string>): Field[] {
  if (names.size === 0) return [];
  const parts = { metadata, source } as const;
  return (['metadata', 'source'] as const).flatMap((part) =>
    Object.entries(parts[part]).flatMap(([field, value]): Field[] =>
      (typeof value === 'object' && value !== null) || !names.has(nameOf(part, field))
        ? []
        : [[nameOf(part, field), valueKey(value as FilterValue)]],
    ),
  );
}

function nameOf(part: 'metadata' | 'source', field: string): string {
  return `${part}.${field}`.slice(0, MAX_LENGTH).toWellFormed();
}
