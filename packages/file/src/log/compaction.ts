import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Pauses } from '@keepsake/internal';
import { syncFolder } from '@keepsake/internal/node';
import { fileModeIn, removeFile, type Stretch, syncData, writeAll } from '../disk/disk.ts';
import type { HeldLock } from '../disk/file-lock.ts';
import { newLogName, temporaryName } from '../disk/file-names.ts';
import type { OpenLog } from './backward-reader.ts';
import { type FooterInput, NOTHING, type SessionTotals } from './batch-footer.ts';
import { removeRemains, setAside } from './damaged-remains.ts';
import { encodeBatch } from './encode-batch.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { IndexedView, LogFollower, ReadLine } from './log-follower.ts';
import type { LogPiece } from './log-line.ts';
import type { ReaderState } from './log-reader.ts';
import { timestamp } from './timestamp.ts';

/** The lines that make up the current state of a log. */
export interface Snapshot {
  /** Lines that come first, as JSON texts. */
  readonly before: readonly string[];
  /** The byte ranges of the lines that are copied, in the order in which an index of the view has them. */
  readonly lines: Iterable<Stretch>;
  /** Lines that come last, as JSON texts. */
  readonly after: readonly string[];
}

/** A view that can write its state as a new, shorter log. */
export interface CompactableView<Body> extends IndexedView<Body> {
  /** Live bytes in the log. */
  readonly liveBytes: number;
  /** Whether the view has no live data. */
  readonly isEmpty: boolean;
  /** The remains of damaged lines. */
  readonly damagedPieces: readonly LogPiece[];
  /** Whether damaged lines may be dropped: nothing depends on their position. */
  readonly damageMayGo: boolean;
  /** The totals of a session. */
  readonly totals?: SessionTotals;
  /** The lines that make up this state, without damage. */
  snapshot(): Snapshot;
  /** A copied line, as JSON text. */
  carryOver(line: Body): string;
}

export interface Compaction<Body> {
  readonly folder: string;
  /** The first line of the log. */
  readonly header: string;
  readonly view: CompactableView<Body>;
  readonly follower: LogFollower<Body>;
  readonly log: OpenLog;
  readonly lock: HeldLock;
  /** Remains at the end of the log that are kept beside the new one. */
  readonly tail?: Stretch | undefined;
}

/** The number of lines copied per batch. */
const BATCH_LINES = 64;

/**
 * Writes the live data to a new log, with its index, and replaces the old log. Readers that have the old log open go on
 * reading it. Yields to the event loop now and then; the lock keeps others from changing the old log. Returns false, and
 * keeps the old log, if the lock was lost or the log could not be read.
 */
export async function compact<Body>(compaction: Compaction<Body>): Promise<boolean> {
  const { folder, header, view, follower, log, lock, tail } = compaction;
  const temporary = join(folder, temporaryName());
  const file = openSync(temporary, 'ax', fileModeIn(folder));
  try {
    const { beginnings } = follower;
    const { isEmpty } = view;
    const remains = tail === undefined ? view.damagedPieces : [...view.damagedPieces, tail];
    const copy = new LogCopy(file, header, lock.generation, follower.reader.newestAt ?? timestamp(), view.totals);
    const moved = await carryOver(copy, view, follower.reading(log));
    // Whatever the durability: the new log replaces data that is on the disk.
    await syncData(file);
    // If reading failed in the meantime, the view is empty, and so would be its index.
    const isStillOurs = () => lock.isHeld() && follower.beginnings === beginnings;
    if (!isStillOurs()) return false;
    const number = log.name.number + 1;
    const pieces = view.index?.(moved.find);
    if (pieces !== undefined && copy.mark !== undefined) {
      await follower.writeIndex(number, { state: copy.state, mark: copy.mark, pieces });
      if (!isStillOurs()) return false;
    }
    if (remains.length > 0) setAside(folder, log, remains);
    else if (isEmpty) removeRemains(folder);
    // Fails if another process has just taken over the lock, because it removes temporary files of others.
    renameSync(temporary, join(folder, newLogName(lock.generation, number)));
    syncFolder(folder);
    removeFile(join(folder, log.name.name));
    return true;
  } finally {
    closeSync(file);
    rmSync(temporary, { force: true });
  }
}

/** Copies the lines, and returns where they are now. */
async function carryOver<Body>(copy: LogCopy, view: CompactableView<Body>, read: ReadLine<Body>): Promise<MovedLines> {
  const { before, lines, after } = view.snapshot();
  const moved = new MovedLines();
  // The first line clears, the others hold operations.
  copy.append(before, { items: 0, live: before.length - 1 });
  const pauses = new Pauses();
  let batch: Stretch[] = [];
  const append = () => {
    const bodies = batch.map((line) => view.carryOver(read(line)));
    moved.add(batch, copy.append(bodies, { items: batch.length, live: batch.length }));
    batch = [];
  };
  for (const line of lines) {
    if (batch.push(line) < BATCH_LINES) continue;
    append();
    await pauses.afterStep();
  }
  append();
  copy.append(after, { items: 0, live: 0 });
  return moved;
}

/** The new log while it is written. */
class LogCopy {
  readonly #file: number;
  readonly #generation: number;
  readonly #at: string;
  #totals: SessionTotals | undefined;
  #position: number;
  #next = 1;
  #newest: ReaderState['newest'];
  mark: Fingerprint | undefined;

  /** @param held - The totals, if this is the log of a session. */
  constructor(file: number, header: string, generation: number, at: string, held: SessionTotals | undefined) {
    this.#file = file;
    this.#generation = generation;
    this.#at = at;
    this.#totals = held && { ...NOTHING, since: held.since ?? at };
    this.#position = Buffer.byteLength(header);
    writeAll(file, Buffer.from(header));
  }

  /** The state of a reader that has read all of it. */
  get state(): ReaderState {
    return { position: this.#position, next: this.#next, generation: this.#generation, newest: this.#newest };
  }

  /** Appends a batch and returns the byte ranges of its lines. */
  append(bodies: readonly string[], counts: Pick<FooterInput, 'items' | 'live'>): readonly Stretch[] {
    if (bodies.length === 0) return [];
    const head = { first: this.#next, generation: this.#generation, at: this.#at, start: this.#position };
    const footerInput = this.#totals && { kept: this.#totals, ...counts, back: this.#newest };
    const { bytes, places, mark, footer, lastLiveBytes } = encodeBatch({ ...head, footerInput }, bodies);
    writeAll(this.#file, bytes);
    const last = head.first + bodies.length - 1;
    const line = { first: head.first, last, number: last, generation: this.#generation, at: this.#at };
    this.#newest = { line, offset: this.#position, end: this.#position + bytes.length };
    this.#position += bytes.length;
    this.#next = last + 1;
    this.mark = mark;
    if (footer) this.#totals = { items: footer.items, bytes: footer.bytes + lastLiveBytes, since: footer.since };
    return places;
  }
}

/** The numbers of a line: its former offset, its offset and its end. */
const NUMBERS = 3;

/** The new byte ranges of the lines that a compaction copied, in 24 bytes for each. */
class MovedLines {
  #numbers = new Float64Array(64 * NUMBERS);
  #count = 0;
  #next = 0;

  /** Adds lines that follow those before. */
  add(lines: readonly Stretch[], places: readonly Stretch[]): void {
    const room = (this.#count + lines.length) * NUMBERS;
    if (room > this.#numbers.length) {
      const longer = new Float64Array(Math.max(room, Math.ceil(this.#numbers.length * 1.5)));
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    for (const [index, { offset }] of lines.entries()) {
      const { offset: from, end } = places[index] as Stretch;
      this.#numbers.set([offset, from, end], this.#count++ * NUMBERS);
    }
  }

  /** The new range of a line. Lines must be looked up in the order in which they were added; some can be left out. */
  readonly find = ({ offset }: Stretch): Stretch => {
    while (this.#next < this.#count) {
      const [former, from = 0, end = 0] = this.#numbers.subarray(this.#next * NUMBERS, ++this.#next * NUMBERS);
      if (former === offset) return { offset: from, end };
    }
    throw new RangeError('The line was not copied.');
  };
}
