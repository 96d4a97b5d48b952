import type { JsonObject, MemoryRecord, RecordSource, Turn } from '@keepsake/core';
import { isObject, parseJson } from '@keepsake/internal';
import type { Connection, Value } from '../database/connection.ts';
import { damaged, readTime } from '../database/stored-values.ts';

/** A row of a record. */
export interface RecordRow {
  /** Its number in the order of creation. */
  readonly record: number;
  readonly id: string;
  readonly json: string;
  readonly version: number;
  readonly created_ms: number;
  readonly updated_ms: number;
  readonly expires_ms: number | null;
  readonly document: number | null;
}

/** What the column `json` has. */
interface Stored {
  readonly content: string;
  readonly metadata: JsonObject;
  readonly turn?: Turn;
  readonly source?: RecordSource;
}

/** Selects a {@link RecordRow}. */
export const RECORD_COLUMNS = 'record, id, json, version, created_ms, updated_ms, expires_ms, document';

/** A condition for records that have not expired. Its value is the present time. */
export const LIVE = '(expires_ms IS NULL OR expires_ms > ?)';

export function writeJson({ content, metadata, turn, source }: Stored): string {
  return JSON.stringify({ content, metadata, turn, source });
}

export function readRow({ id, json, version, created_ms, updated_ms, expires_ms, document }: RecordRow): MemoryRecord {
  const { content, metadata, turn, source } = readJson(json);
  return {
    id,
    content,
    metadata,
    version,
    createdAt: readTime(created_ms),
    updatedAt: readTime(updated_ms),
    ...(expires_ms === null ? {} : { expiresAt: readTime(expires_ms) }),
    ...(turn === undefined ? {} : { turn }),
    ...(source === undefined ? {} : { source }),
    index: document !== null,
  };
}

/** @throws MemoryError `CORRUPT` if it is damaged. The error of the parser would quote its content. */
function readJson(json: string): Stored {
  const stored = parseJson(json);
  if (isObject(stored) && typeof stored.content === 'string' && isObject(stored.metadata))
    return stored as unknown as Stored;
  throw damaged('A record of this store');
}

/** The record with that id, unless it has expired. */
export function findRow(connection: Connection, namespace: number, id: string): RecordRow | undefined {
  const sql = `SELECT ${RECORD_COLUMNS} FROM keepsake_records WHERE namespace = ? AND id = ? AND ${LIVE}`;
  return connection.first<RecordRow>(sql, namespace, id, Date.now());
}

/** The values of a condition `column IN (SELECT value FROM json_each(?))`. */
export function listOf(values: readonly (string | number)[]): Value {
  return JSON.stringify(values);
}
