import type { MemoryEntry, MemoryRecord, ScoreExplanation } from '@keepsake/core';
import { cloneJson, type IdentifiedRecord, revisedRecord } from '@keepsake/core/adapter';
import { excerptOf, type Searched } from '../ranking/excerpt.ts';

/** A record as stored in a table. */
export interface StoredRecord extends MemoryRecord {
  /** Its creation number; increasing. */
  readonly created: number;
}

/** A copy of a record for callers. */
export function toRecord({ created, ...record }: StoredRecord): MemoryRecord {
  return { ...record, ...copiedParts(record) };
}

function copiedParts({ metadata, turn, source }: MemoryRecord): Pick<MemoryRecord, 'metadata' | 'turn' | 'source'> {
  return {
    metadata: cloneJson(metadata, 'metadata'),
    ...(turn === undefined ? {} : { turn: { ...turn } }),
    ...(source === undefined ? {} : { source: { ...source } }),
  };
}

/** How a search found a record. */
interface Ranking {
  readonly score: number;
  readonly explanation?: ScoreExplanation;
}

/** A record as a search result, as a copy. */
export function toEntry(record: StoredRecord, { score, explanation }: Ranking, searched: Searched): MemoryEntry {
  const { id, content, createdAt, updatedAt } = record;
  const { metadata, ...said } = copiedParts(record);
  const excerpt = excerptOf(content, searched);
  return {
    ...{ id, content, metadata, score, createdAt, updatedAt },
    ...said,
    ...(excerpt === undefined ? {} : { excerpt }),
    ...(explanation === undefined ? {} : { explanation }),
  };
}

/** Shared by all records without metadata, to save memory. Callers get copies. */
const NO_METADATA = Object.freeze({});

/** The record after `input` replaces `before`. */
export function storedRecord(
  before: StoredRecord | undefined,
  input: IdentifiedRecord,
  now: Date,
  created: number,
  first: number,
): StoredRecord {
  const record = revisedRecord(input, before, now, first);
  const metadata = Object.keys(record.metadata).length === 0 ? NO_METADATA : record.metadata;
  return { ...record, metadata, created };
}
