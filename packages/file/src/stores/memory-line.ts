import { isObject } from '@keepsake/internal';
import type { RecordChange, StoredRecord } from '@keepsake/search';

/** A line of a namespace's log, without its envelope: a put record or the id of a deleted one. */
export interface MemoryLine {
  readonly put?: StoredRecord;
  /** The record's vector: little-endian 32-bit floats, base64. */
  readonly vector?: string;
  /** The id of the embedder that made the vector. */
  readonly embedder?: string;
  readonly delete?: string;
  /** The highest creation sequence number of any record so far. Written by compaction. */
  readonly created?: number;
}

/** Encodes a change as a line. */
export function writeChange(change: RecordChange, embedder: string | undefined): string {
  if ('delete' in change) return JSON.stringify({ delete: change.delete });
  const { put, vector } = change;
  return JSON.stringify(vector === undefined ? { put } : { put, vector: writeVector(vector), embedder });
}

/** Whether a line has this shape. Its checksum says only that it is as somebody wrote it. */
export function isMemoryLine({ put, vector, embedder, delete: deleted, created }: MemoryLine): boolean {
  return (
    (put === undefined || isRecord(put)) &&
    [vector, embedder, deleted].every(isOptionalText) &&
    (created === undefined || Number.isSafeInteger(created))
  );
}

function isRecord(value: StoredRecord): boolean {
  if (!isObject(value)) return false;
  const { id, content, metadata, version, created, createdAt, updatedAt, turn, source, ...others } = value;
  return (
    typeof id === 'string' &&
    typeof content === 'string' &&
    isObject(metadata) &&
    [version, created].every(Number.isSafeInteger) &&
    [createdAt, updatedAt].every(isTime) &&
    [others.expiresAt, others.validFrom, others.validUntil].every((time) => time === undefined || isTime(time)) &&
    [others.supersedes, others.supersededBy].every(isOptionalText) &&
    (turn === undefined || (isObject(turn) && typeof turn.thread === 'string' && Number.isSafeInteger(turn.index))) &&
    (source === undefined || isObject(source))
  );
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function writeVector(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
