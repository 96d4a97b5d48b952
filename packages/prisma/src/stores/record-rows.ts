import type { JsonObject, MemoryRecord, Turn } from '@keepsake/core';
import { isoTime } from '../database/clock.ts';
import { fromStorable } from '../database/storable-text.ts';
import { readSource, SOURCE_COLUMNS, type SourceRow } from '../search/filter-fields.ts';

/** The columns of a record. Drivers return numbers in several forms. */
export interface RecordRow extends SourceRow {
  readonly seq: unknown;
  readonly id: string;
  readonly content: string;
  readonly metadata: string;
  readonly version: unknown;
  readonly created_ms: unknown;
  readonly updated_ms: unknown;
  readonly expires_ms: unknown;
  readonly thread: string | null;
  readonly turn_index: unknown;
  readonly speaker: string | null;
  /** `null` if the record is kept out of search. */
  readonly language: string | null;
}

export const RECORD_COLUMNS = `"seq", "id", "content", "metadata", "version", "created_ms", "updated_ms", "expires_ms",
  "thread", "turn_index", "speaker", "language", ${SOURCE_COLUMNS}`;

/** {@link RECORD_COLUMNS} of a table. */
export function columnsOf(table: string): string {
  return RECORD_COLUMNS.replaceAll(/"(\w+)"(?=,|$)|"fields" ->>/g, (column) =>
    column.startsWith('"source_') ? column : `${table}.${column}`,
  );
}

export function readRow(row: RecordRow): MemoryRecord {
  const source = readSource(row);
  return {
    id: fromStorable(row.id),
    content: fromStorable(row.content),
    metadata: JSON.parse(row.metadata) as JsonObject,
    version: Number(row.version),
    createdAt: isoTime(row.created_ms),
    updatedAt: isoTime(row.updated_ms),
    ...(row.expires_ms === null ? {} : { expiresAt: isoTime(row.expires_ms) }),
    ...(row.thread === null ? {} : { turn: readTurn(row.thread, row) }),
    ...(source === undefined ? {} : { source }),
    index: row.language !== null,
  };
}

function readTurn(thread: string, { turn_index, speaker }: RecordRow): Turn {
  return {
    thread: fromStorable(thread),
    index: Number(turn_index),
    ...(speaker === null ? {} : { speaker: fromStorable(speaker) }),
  };
}
