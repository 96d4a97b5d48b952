import type { MemoryEntry, MemoryRecord, ScoreExplanation } from '@keepsake/core';
import { cloneJson, type PreparedRecord, revisedSource } from '@keepsake/core/adapter';
import { excerptOf, type Searched } from '../ranking/excerpt.ts';

/** A record as stored in a table. */
export interface StoredRecord extends MemoryRecord {
  /** Its creation number; increasing. */
  readonly created: number;
}

/** A copy of a record for callers. */
export function toRecord({ created, ...record }: StoredRecord): MemoryRecord {
  const turn = record.turn === undefined ? {} : { turn: { ...record.turn } };
  const source = record.source === undefined ? {} : { source: { ...record.source } };
  return { ...record, ...turn, ...source, metadata: cloneJson(record.metadata, 'metadata') };
}

/** How a search found a record. */
interface Found {
  readonly score: number;
  readonly explanation?: ScoreExplanation;
}

/** A record as a search result, as a copy. */
export function toEntry(record: StoredRecord, { score, explanation }: Found, searched: Searched): MemoryEntry {
  const { id, content, metadata, createdAt, updatedAt, turn, source } = toRecord(record);
  const excerpt = excerptOf(content, searched);
  return {
    ...{ id, content, metadata, score, createdAt, updatedAt },
    ...(turn === undefined ? {} : { turn }),
    ...(source === undefined ? {} : { source }),
    ...(excerpt === undefined ? {} : { excerpt }),
    ...(explanation === undefined ? {} : { explanation }),
  };
}

/** Shared by all records without metadata, to save memory. Callers get copies. */
const NO_METADATA = Object.freeze({});

/** The record after `input` replaces `before`. */
export function revise(
  before: StoredRecord | undefined,
  id: string,
  input: PreparedRecord,
  now: Date,
  created: number,
  first: number,
): StoredRecord {
  const { content, metadata, ttlMs, index, turn } = input;
  const source = revisedSource(input.source, before?.source);
  const time = isoTimeOf(now.getTime());
  const createdAt = before?.createdAt ?? input.createdAt ?? time;
  // Clocks go back, and the caller may name a time in the future.
  const isAhead = createdAt > time;
  return {
    id,
    content,
    metadata: Object.keys(metadata).length === 0 ? NO_METADATA : metadata,
    version: before === undefined ? first : before.version + 1,
    createdAt,
    updatedAt: isAhead ? createdAt : time,
    ...(ttlMs === undefined ? {} : { expiresAt: new Date(now.getTime() + ttlMs).toISOString() }),
    ...(turn === undefined ? {} : { turn }),
    ...(source === undefined ? {} : { source }),
    created,
    index,
  };
}

let lastTime = Number.NaN;
let lastIsoTime = '';

/** Cached per millisecond, in which many records can be put. */
function isoTimeOf(time: number): string {
  if (time !== lastTime) {
    lastTime = time;
    lastIsoTime = new Date(time).toISOString();
  }
  return lastIsoTime;
}
