import {
  cloneJson,
  type MemoryEntry,
  type MemoryRecord,
  type PreparedRecord,
  type ScoreExplanation,
} from '@keepsake/core';
import { excerptOf, type Searched } from './excerpt.ts';

/** A record as a table keeps it. */
export interface StoredRecord extends MemoryRecord {
  /** Its place in the order of creation; rises. */
  readonly created: number;
  /** `false` keeps it out of search. */
  readonly index: boolean;
}

/** A record as callers get it: a copy that shares nothing with the table. */
export function toRecord({ created, index, ...record }: StoredRecord): MemoryRecord {
  const turn = record.turn === undefined ? {} : { turn: { ...record.turn } };
  return { ...record, ...turn, metadata: cloneJson(record.metadata, 'metadata') };
}

/** How a record was found. */
interface Found {
  readonly score: number;
  readonly explanation?: ScoreExplanation;
}

/** A record as a search for some words gives it: a copy as well. */
export function toEntry(record: StoredRecord, found: Found, searched: Searched): MemoryEntry {
  return entryOf(toRecord(record), found, searched);
}

/** The same of a record that is a copy already. */
export function entryOf(
  { id, content, metadata, createdAt, updatedAt, turn }: MemoryRecord,
  { score, explanation }: Found,
  searched: Searched,
): MemoryEntry {
  const excerpt = excerptOf(content, searched);
  return {
    ...{ id, content, metadata, score, createdAt, updatedAt },
    ...(turn === undefined ? {} : { turn }),
    ...(excerpt === undefined ? {} : { excerpt }),
    ...(explanation === undefined ? {} : { explanation }),
  };
}

/** Shared by the many records that have none, to save memory. Callers get copies. */
const NO_METADATA = Object.freeze({});

/** What the record of an id will be once `input` is put in the place of the one that was there `before`. */
export function revise(
  before: StoredRecord | undefined,
  id: string,
  input: PreparedRecord,
  now: Date,
  created: number,
): StoredRecord {
  const { content, metadata, ttlMs, index, turn } = input;
  const updatedAt = isoTimeOf(now.getTime());
  return {
    id,
    content,
    metadata: Object.keys(metadata).length === 0 ? NO_METADATA : metadata,
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? input.createdAt ?? updatedAt,
    updatedAt,
    ...(ttlMs === undefined ? {} : { expiresAt: new Date(now.getTime() + ttlMs).toISOString() }),
    ...(turn === undefined ? {} : { turn }),
    created,
    index,
  };
}

let lastTime = Number.NaN;
let lastIsoTime = '';

/** Made once a millisecond, in which many records may be put: they share it. */
function isoTimeOf(time: number): string {
  if (time !== lastTime) {
    lastTime = time;
    lastIsoTime = new Date(time).toISOString();
  }
  return lastIsoTime;
}
