import type { Embedder } from '@keepsake/core';
import { type RecordChange, RecordTable, type StoredRecord } from '@keepsake/search';
import type { Report } from './corruption.ts';
import type { CompactableView } from './log.ts';
import type { ReadLine, Stretch } from './log-follower.ts';
import type { LogPiece } from './log-line.ts';
import type { LogEntry } from './log-reader.ts';

/** A line of a namespace's log, beside its envelope: a record that is put, or the id of one that is deleted. */
export interface MemoryLine {
  readonly put?: StoredRecord;
  /** The record's vector: little-endian 32-bit floats, base64. */
  readonly vector?: string;
  /** The id of the embedder that made it. */
  readonly embedder?: string;
  readonly delete?: string;
  /** The highest place in the order of creation that a record ever had; written by compaction. */
  readonly created?: number;
}

/** Writes a change as a line. */
export function writeChange(change: RecordChange, embedder: string | undefined): string {
  if ('delete' in change) return JSON.stringify({ delete: change.delete });
  const { put, vector } = change;
  return JSON.stringify(vector === undefined ? { put } : { put, vector: writeVector(vector), embedder });
}

/** What the log of a namespace tells: its records, with the indexes over them. */
export class MemoryView implements CompactableView<MemoryLine> {
  readonly #report: Report;
  readonly #embedder: Embedder | undefined;
  damagedPieces: LogPiece[] = [];
  #table: RecordTable;
  /** Where the line of each record stands. */
  readonly #lines = new Map<string, Stretch>();
  liveBytes = 0;

  constructor(report: Report, embedder: Embedder | undefined) {
    this.#report = report;
    this.#embedder = embedder;
    this.#table = newTable(embedder);
  }

  /** The records as they are now, without those that have expired. */
  current(): RecordTable {
    for (const { id } of this.#table.expire(Date.now())) this.#forget(id);
    return this.#table;
  }

  reset(): void {
    this.#table = newTable(this.#embedder);
    this.#lines.clear();
    this.liveBytes = 0;
    this.damagedPieces = [];
  }

  apply({ line, offset, end }: LogEntry<MemoryLine>): void {
    if (line.put) this.#put(line.put, line, { offset, end });
    if (line.delete !== undefined) {
      this.#table.delete(line.delete);
      this.#forget(line.delete);
    }
    if (line.created !== undefined) this.#table.createAfter(line.created);
  }

  damageHeader(): void {
    this.#report(0, 0);
  }

  damage(from: number, to: number, pieces: readonly LogPiece[]): void {
    this.damagedPieces.push(...pieces);
    this.#report(from, to, pieces[0]?.offset);
  }

  *snapshot(read: ReadLine<MemoryLine>): Iterable<string> {
    // In the order in which they were put last: of records that fit a search equally well, the newest comes first.
    this.current();
    for (const line of this.#lines.values()) {
      const { put, vector, embedder } = read(line);
      yield JSON.stringify({ put, vector, embedder });
    }
    // Cursors of lists are such places: none is given twice.
    yield JSON.stringify({ created: this.#table.created });
  }

  #put(record: StoredRecord, { vector, embedder }: MemoryLine, stretch: Stretch): void {
    const floats = vector !== undefined && embedder === this.#embedder?.id ? readVector(vector) : undefined;
    this.#table.put(record, record, floats?.length === this.#embedder?.dimensions ? floats : undefined);
    this.#forget(record.id);
    this.#lines.set(record.id, stretch);
    this.liveBytes += stretch.end - stretch.offset;
  }

  #forget(id: string): void {
    const line = this.#lines.get(id);
    if (line !== undefined) this.liveBytes -= line.end - line.offset;
    this.#lines.delete(id);
  }
}

function newTable(embedder: Embedder | undefined): RecordTable {
  const dimensions = embedder === undefined ? {} : { dimensions: embedder.dimensions };
  return new RecordTable({ ...dimensions, read: (record: StoredRecord) => record });
}

function writeVector(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}

function readVector(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}
