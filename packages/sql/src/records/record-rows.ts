import type { MemoryRecord } from '@keepsake/core';
import { type LoggedRecord, readRecord } from '@keepsake/search';
import { isoTime } from '../database/clock.ts';
import type { Dialect } from '../database/dialect.ts';
import { fromStorable } from '../database/storable-text.ts';

/** The columns of a record. Drivers return numbers in several forms. */
export interface RecordRow {
  readonly id: string;
  readonly change: unknown;
  readonly created: unknown;
  /** `null` for a deletion. */
  readonly record: string | null;
  readonly created_ms: unknown;
  readonly updated_ms: unknown;
  /** The transaction that changed it. From PostgreSQL only. */
  readonly writer?: string | null;
  readonly expires_ms: unknown;
  /** Base64 from PostgreSQL, hexadecimal from SQLite. */
  readonly vector?: string | null;
}

export const RECORD_COLUMNS = 'id, change, created, record, created_ms, updated_ms, expires_ms';

/** @throws MemoryError `CORRUPT` if it is damaged. */
export function readRow(row: RecordRow): LoggedRecord {
  const record: MemoryRecord = {
    ...readRecord(fromStorable(row.id), String(row.record)),
    createdAt: isoTime(row.created_ms),
    updatedAt: isoTime(row.updated_ms),
    ...(row.expires_ms === null ? {} : { expiresAt: isoTime(row.expires_ms) }),
  };
  return { record, change: Number(row.change), created: Number(row.created), writer: row.writer ?? undefined };
}

/** Bytes that a statement returns as text, which drivers read faster than bytes. */
export function readBytes(dialect: Dialect, text: string): Buffer {
  return Buffer.from(text, dialect === 'postgresql' ? 'base64' : 'hex');
}
