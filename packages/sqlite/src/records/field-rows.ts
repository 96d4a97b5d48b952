import type { FilterValue, MemoryRecord } from '@keepsake/core';
import { type FilterRule, type IndexedField, requiredValues, valueKey } from '@keepsake/core/adapter';
import type { Connection } from '../database/connection.ts';

/** Longer names are cut. */
const MAX_LENGTH = 200;

/** A value in a field, as the index has it. */
type Field = readonly [field: string, value: string];

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
  record: number,
  stored: MemoryRecord,
  names: ReadonlySet<string>,
): void {
  const sql = 'INSERT OR IGNORE INTO keepsake_fields (namespace, field, value, record) VALUES (?, ?, ?, ?)';
  for (const [field, value] of fieldsOf(stored, names)) connection.run(sql, namespace, field, value, record);
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
