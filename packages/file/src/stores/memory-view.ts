import type { Embedder } from '@keepsake/core';
import type { IndexedField } from '@keepsake/core/adapter';
import { digest } from '@keepsake/internal/node';
import {
  type Language,
  type PlaceFormat,
  RecentRecords,
  RecordTable,
  type RecordView,
  type StoredRecord,
} from '@keepsake/search';
import type { Stretch } from '../disk/disk.ts';
import type { CompactableView, Snapshot } from '../log/compaction.ts';
import type { Report } from '../log/corruption.ts';
import type { IndexPages } from '../log/index-pages.ts';
import type { ReadLine } from '../log/log-follower.ts';
import type { IndexPieces } from '../log/log-index.ts';
import type { LogPiece } from '../log/log-line.ts';
import type { LogEntry } from '../log/log-reader.ts';
import { isMemoryLine, type MemoryLine } from './memory-line.ts';

/** How the records of a store are indexed. */
export interface Indexing {
  readonly embedder?: Embedder | undefined;
  readonly language?: Language | undefined;
  readonly indexed?: readonly IndexedField[];
}

/** How many bytes of log lines to keep parsed in memory, which takes about three times as much. */
const MOST_LINE_BYTES = 16 * 1024 * 1024;

/** The state of a namespace's log: the positions of its records, and the search indexes. */
export class MemoryView implements CompactableView<MemoryLine> {
  readonly #report: Report;
  readonly #indexing: Indexing;
  readonly indexVariant: string | undefined;
  damagedPieces: LogPiece[] = [];
  readonly damageMayGo = true;
  #table: RecordTable<Stretch>;
  /** The pages that the table reads, if it comes from an index. */
  #pages: IndexPages | undefined;
  /** By the offset of their lines. */
  readonly #cache = new RecentRecords(MOST_LINE_BYTES);
  #readLine: ReadLine<MemoryLine> | undefined;
  liveBytes = 0;

  /** @param isIndexed - Whether the state may be loaded from an index instead of the log. */
  constructor(report: Report, indexing: Indexing, isIndexed = true) {
    this.#report = report;
    this.#indexing = indexing;
    this.indexVariant = isIndexed ? variantOf(indexing) : undefined;
    this.#table = new RecordTable(this.#tableOptions());
  }

  /** The current records, without expired ones. Valid as long as `readLine` is. */
  current(readLine: ReadLine<MemoryLine>): RecordView {
    this.#readLine = readLine;
    this.#expire();
    return this.#table;
  }

  get isEmpty(): boolean {
    return this.#table.size === 0;
  }

  reset(): void {
    this.#table = new RecordTable(this.#tableOptions());
    this.#pages?.close();
    this.#pages = undefined;
    this.#cache.clear();
    this.liveBytes = 0;
    this.damagedPieces = [];
  }

  apply({ line, offset, end }: LogEntry<MemoryLine>): void {
    // Its checksum is right, so another program wrote it.
    if (!isMemoryLine(line)) {
      this.damage(line.number, line.number, [{ offset, end }]);
      return;
    }
    if (line.put) {
      const place = { offset, end };
      this.#forget(this.#table.put(line.put, place, this.#vectorIn(line)));
      this.liveBytes += end - offset;
    }
    if (line.delete !== undefined) this.#forget(this.#table.delete(line.delete));
    if (line.created !== undefined) this.#table.createAfter(line.created);
  }

  damageHeader(): void {
    this.#report(0, 0);
  }

  damage(from: number, to: number, pieces: readonly LogPiece[]): void {
    // A spread of very many overflows the stack.
    for (const piece of pieces) this.damagedPieces.push(piece);
    this.#report(from, to, pieces[0]?.offset);
  }

  snapshot(): Snapshot {
    this.#expire();
    return {
      before: [],
      lines: placesOf(this.#table),
      // List cursors are creation sequence numbers, so none is used twice.
      after: [JSON.stringify({ created: this.#table.created })],
    };
  }

  carryOver({ put, vector, embedder }: MemoryLine): string {
    return JSON.stringify({ put, vector, embedder });
  }

  *index(moved: (place: Stretch) => Stretch = (place) => place): IndexPieces {
    let liveBytes = 0;
    const write = (place: Stretch) => {
      const now = moved(place);
      liveBytes += now.end - now.offset;
      return PLACES.write(now);
    };
    if (!(yield* this.#table.snapshotting({ ...PLACES, write }))) return false;
    yield new Uint8Array(Float64Array.of(liveBytes).buffer);
    return true;
  }

  async restore(pages: IndexPages): Promise<(() => void) | undefined> {
    const length = pages.length - Float64Array.BYTES_PER_ELEMENT;
    const liveBytes = new Float64Array(1);
    pages.read(new Uint8Array(liveBytes.buffer), length);
    const snapshot = { length, read: (target: Uint8Array, offset: number) => pages.read(target, offset) };
    const table = await RecordTable.openWithPauses(snapshot, PLACES, this.#tableOptions());
    if (table === undefined) return undefined;
    return () => {
      this.#table = table;
      this.#pages = pages;
      this.liveBytes = liveBytes[0] as number;
    };
  }

  #tableOptions() {
    const { embedder, language, indexed = [] } = this.#indexing;
    return {
      ...(embedder === undefined ? {} : { dimensions: embedder.dimensions }),
      language,
      indexed,
      read: (place: Stretch) => this.#cache.get(place.offset) ?? this.#readRecord(place),
    };
  }

  #readRecord(place: Stretch): StoredRecord {
    const record = this.#readLine?.(place).put as StoredRecord;
    this.#cache.set(place.offset, record, place.end - place.offset);
    return record;
  }

  #expire(): void {
    for (const place of this.#table.expire(Date.now())) this.#forget(place);
  }

  #forget(place: Stretch | undefined): void {
    if (place === undefined) return;
    this.liveBytes -= place.end - place.offset;
    this.#cache.delete(place.offset);
  }

  #vectorIn({ vector, embedder }: MemoryLine): Float32Array | undefined {
    const { embedder: own } = this.#indexing;
    if (vector === undefined || embedder !== own?.id) return undefined;
    const floats = readVector(vector);
    return floats.length === own?.dimensions ? floats : undefined;
  }
}

function* placesOf(table: RecordTable<Stretch>): Iterable<Stretch> {
  for (const { place } of table.places()) yield place;
}

function variantOf({ embedder, language, indexed = [] }: Indexing): string {
  // Without such fields as before there were any, so that indexes of earlier releases stay useful.
  const fields = indexed.length === 0 ? [] : [indexed];
  return digest(JSON.stringify([embedder?.id, language, ...fields]), 12);
}

/** How an index encodes the position of a line. */
const PLACES: PlaceFormat<Stretch> = {
  numbers: 2,
  write: ({ offset, end }) => [offset, end],
  read: ([offset = 0, end = 0]) => ({ offset, end }),
};

function readVector(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}
