import type { JsonObject, MemoryRecord, Turn } from '@keepsake/core';
import type { Dialect } from './database.ts';
import { fromStorable } from './storable-text.ts';

/** A row of the table of records, as far as a record is made of it. Drivers give numbers in several forms. */
export interface RecordRow {
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
}

export const RECORD_COLUMNS =
  '"seq", "id", "content", "metadata", "version", "created_ms", "updated_ms", "expires_ms", "thread", "turn_index", "speaker"';

/** The time of the database, in milliseconds since 1970: that of all processes. */
export function nowOf(dialect: Dialect): string {
  return dialect === 'postgresql'
    ? 'CAST(extract(epoch FROM statement_timestamp()) * 1000 AS bigint)'
    : `CAST(round(unixepoch('subsec') * 1000) AS INTEGER)`;
}

/** Whether a record's time is not over. */
export function liveIn(dialect: Dialect, table = '"keepsake_records"'): string {
  return `(${table}."expires_ms" IS NULL OR ${table}."expires_ms" > ${nowOf(dialect)})`;
}

export function readRow(row: RecordRow): MemoryRecord {
  return {
    id: fromStorable(row.id),
    content: fromStorable(row.content),
    metadata: JSON.parse(row.metadata) as JsonObject,
    version: Number(row.version),
    createdAt: isoTime(row.created_ms),
    updatedAt: isoTime(row.updated_ms),
    ...(row.expires_ms === null ? {} : { expiresAt: isoTime(row.expires_ms) }),
    ...(row.thread === null ? {} : { turn: readTurn(row.thread, row) }),
  };
}

function readTurn(thread: string, { turn_index, speaker }: RecordRow): Turn {
  return {
    thread: fromStorable(thread),
    index: Number(turn_index),
    ...(speaker === null ? {} : { speaker: fromStorable(speaker) }),
  };
}

export function isoTime(milliseconds: unknown): string {
  return new Date(Number(milliseconds)).toISOString();
}
