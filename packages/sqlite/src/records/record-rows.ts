import type { Embedder } from '@keepsake/core';
import { type LoggedRecord, readRecord } from '@keepsake/search';
import type { Connection } from '../database/connection.ts';
import { readVector } from '../database/stored-values.ts';

/** A row of a record, or of the deletion of one. */
export interface RecordRow {
  /** Its number in the order of changes. */
  readonly change: number;
  readonly id: string;
  /** `null` for a deletion. */
  readonly json: string | null;
  /** Its number in the order of creation. */
  readonly created: number;
  readonly expires_ms: number | null;
  readonly embedder?: string | null;
  readonly vector?: Uint8Array | null;
}

/** Selects a {@link RecordRow}, with vectors if there is an embedder. */
export function columnsWith(embedder: Embedder | undefined): string {
  const columns = 'change, id, json, created, expires_ms';
  return embedder === undefined ? columns : `${columns}, embedder, vector`;
}

/** A condition for records that have not expired. Its value is the present time. */
export const LIVE = '(expires_ms IS NULL OR expires_ms > ?)';

/** @throws MemoryError `CORRUPT` if it is damaged. */
export function readRow(
  { change, id, json, created, ...row }: RecordRow,
  embedder: Embedder | undefined,
): LoggedRecord {
  const bytes = row.embedder === embedder?.id ? (row.vector ?? undefined) : undefined;
  const vector = bytes && embedder && readVector(bytes, embedder.dimensions);
  return { record: readRecord(id, String(json)), change, created, ...(vector && { vector }) };
}

/** The record with that id, unless it has expired. */
export function findRow(connection: Connection, namespace: number, id: string): RecordRow | undefined {
  const sql = `SELECT ${columnsWith(undefined)} FROM keepsake_records
    WHERE namespace = ? AND id = ? AND json IS NOT NULL AND ${LIVE}`;
  return connection.first<RecordRow>(sql, namespace, id, Date.now());
}
