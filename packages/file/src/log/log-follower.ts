import { closeSync, fstatSync } from 'node:fs';
import { MemoryError } from '@keepsake/core';
import { Pauses } from '@keepsake/internal';
import { READ, readBytes, type Stretch } from '../disk/disk.ts';
import type { LogName } from '../disk/file-names.ts';
import { findEnd, type LogEnd, linesFromBehind, type OpenLog, Unclear } from './backward-reader.ts';
import { type Fingerprint, isAt, lastFingerprint } from './fingerprint.ts';
import type { IndexPages } from './index-pages.ts';
import { type IndexPieces, type LogIndex, type NewIndex, openIndex, writeIndex } from './log-index.ts';
import { cutLines } from './log-line.ts';
import { type LogEntry, type LogHeader, LogReader, type LogView, Overtaken } from './log-reader.ts';
import { openLog, openNamed } from './open-log.ts';
import { isSpoilt, Spoilt } from './spoilt.ts';

/** Reads a line of the log. */
export type ReadLine<Body> = (stretch: Stretch) => Body;

/** A view that can be saved, so that another process need not read the whole log. */
export interface IndexedView<Body> extends LogView<Body> {
  /** Hex digits that identify an index format: views of another variant can't read it. Missing if the view has no index. */
  readonly indexVariant?: string | undefined;
  /** The state of the view, with its lines at the places that `moved` returns. Of no use if the view changes meanwhile. */
  index?(moved?: (stretch: Stretch) => Stretch): IndexPieces;
  /**
   * Loads the state of another view. Returns a function that takes it over, with the pages, or `undefined` if the view can't
   * read it.
   */
  restore?(pages: IndexPages): Promise<(() => void) | undefined>;
}

/** The size of one read. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** The size of one read while other work goes on. */
const STEP_BYTES = 64 * 1024;
/** What is left to read is read at once below this size. */
const AT_ONCE_BYTES = 128 * 1024;
const AHEAD_BYTES = 256 * 1024;
/** How many times a log is read again before it is reported as damaged. */
const MAX_ATTEMPTS = 50;
/** Below this size, reading a log is as quick as reading its index. */
const INDEX_FROM_BYTES = 1024 * 1024;
/** How many times an index is encoded if records expire while it is. */
const MAX_INDEXINGS = 3;
/** An index is rewritten when this share of the log is not in it. */
const UNINDEXED_PART = 1 / 8;

/** Follows the log of a folder that many processes write: keeps a view up to date, or reads the log backwards. */
export class LogFollower<Body> {
  readonly #folder: string;
  readonly #header: LogHeader;
  readonly #view: IndexedView<Body>;
  #voided = new Set<string>();
  #reader: LogReader<Body>;
  /** The batch whose validity is being checked. */
  #wanted: string | undefined;
  /** The file that the view was read from. */
  #file: LogName | undefined;
  #torn = false;
  /** The length of that file when it was read. */
  #end = 0;
  #mark: Fingerprint | undefined;
  /** The offset up to which there is an index. */
  #indexed = 0;
  #beginnings = 0;
  /** The name of a log whose index turned out to be damaged, or to hide damage of the log. */
  #misleading: string | undefined;
  /** While the view is brought up to date in steps. */
  #preparing: Promise<void> | undefined;
  /** Identifies the preparation; missing if there is none, or if somebody needed the view at once and took it. */
  #preparation: object | undefined;

  constructor(folder: string, header: LogHeader, view: IndexedView<Body>) {
    this.#folder = folder;
    this.#header = header;
    this.#view = view;
    this.#reader = new LogReader(view, header, this.#voided);
  }

  /** The file that the view was read from, or `undefined`. */
  get file(): LogName | undefined {
    return this.#file;
  }

  /** Changes whenever the view is emptied and rebuilt. */
  get beginnings(): number {
    return this.#beginnings;
  }

  /** Whether that file ends in the middle of a line. */
  get torn(): boolean {
    return this.#torn;
  }

  /** What a write that was cut off left at its end. */
  get tail(): Stretch | undefined {
    const isCutOff = this.#torn || this.#reader.endsInBatch;
    return isCutOff ? { offset: this.#reader.position, end: this.#end } : undefined;
  }

  /** How much of it has been read. */
  get reader(): Pick<
    LogReader<Body>,
    'position' | 'next' | 'generation' | 'hasHeader' | 'newest' | 'newestAt' | 'isNewest'
  > {
    return this.#reader;
  }

  /** Opens the current log and closes it after use. Returns `undefined` if there is no folder. */
  async withLog<T>(flags: number, use: (log: OpenLog | undefined) => T | Promise<T>): Promise<T> {
    const log = await this.open(flags);
    try {
      return await use(log);
    } finally {
      if (log !== undefined) closeSync(log.handle);
    }
  }

  /** Updates the view, then calls `use` with a function that reads lines. Nothing changes until `use` returns. */
  read<T>(use: (read: ReadLine<Body>) => T): Promise<T> {
    return this.withLog(READ, async (log) => {
      if (log !== undefined) await this.prepare(log);
      return this.readOpen(log, use);
    });
  }

  /**
   * Brings the view nearly up to date, in steps between which the event loop turns, so that {@link readOpen} has little left to
   * do.
   */
  async prepare(log: OpenLog): Promise<void> {
    while (this.#isBehind(log)) {
      // Another caller may be at it. If that fails, this one finds out itself.
      if (this.#preparing !== undefined) await this.#preparing.catch(() => {});
      else await this.#startToPrepare(log);
    }
  }

  #isBehind({ name, handle }: OpenLog): boolean {
    if (this.#preparation !== undefined) return true;
    const { size } = fstatSync(handle);
    // Not the position of the reader: that stays before what a write that was cut off left at the end.
    return size - (name.name === this.#file?.name ? this.#end : 0) > AT_ONCE_BYTES;
  }

  #startToPrepare(log: OpenLog): Promise<void> {
    const preparation = {};
    this.#preparation = preparation;
    const preparing = this.#prepareInSteps(log, () => this.#preparation === preparation).finally(() => {
      if (this.#preparation === preparation) this.#preparation = undefined;
      this.#preparing = undefined;
    });
    this.#preparing = preparing;
    return preparing;
  }

  async #prepareInSteps({ name, handle }: OpenLog, isCurrent: () => boolean): Promise<void> {
    if (name.name !== this.#file?.name) {
      const takeOver = this.#wanted === undefined ? await this.#restored(name, handle) : undefined;
      if (!isCurrent()) return;
      this.#start(name);
      takeOver?.();
    }
    const pauses = new Pauses();
    try {
      for (const _ of this.#catchingUp(handle, STEP_BYTES)) {
        await pauses.afterStep();
        if (!isCurrent()) return;
      }
    } catch (error) {
      if (!isSpoilt(error) || this.#misleading === name.name) throw error;
      // The next attempt reads the log instead.
      this.#misleading = name.name;
    }
  }

  /** Stops a preparation, whose half of a view is of no use. */
  #stopPreparing(): void {
    if (this.#preparation === undefined) return;
    this.#preparation = undefined;
    this.#start(undefined);
  }

  /** The same for an open log. Calls `use` again if a line that was intact turns out to be damaged. */
  readOpen<T>(log: OpenLog | undefined, use: (read: ReadLine<Body>) => T): T {
    this.#stopPreparing();
    if (log === undefined) {
      if (this.#file !== undefined) this.#start(undefined);
      return use(refuseToRead);
    }
    try {
      this.#catchUp(log);
      return use(reading(log.handle));
    } catch (error) {
      if (!isSpoilt(error)) throw error;
    }
    this.readAnew(log);
    return use(reading(log.handle));
  }

  /** Reads the whole log without an index, so that all damage is found and reported. */
  readAnew(log: OpenLog): void {
    this.#stopPreparing();
    this.#misleading = log.name.name;
    this.#start(log.name);
    this.#catchUp(log);
  }

  /** Empties the view, which takes memory and may have a file open. */
  release(): void {
    this.#stopPreparing();
    this.#start(undefined);
  }

  /** Calls `use` with the valid lines, newest first. Returns `undefined` if only reading the whole log can tell. */
  readFromBehind<T>(use: (end: LogEnd | undefined, lines: Iterable<LogEntry<Body>>) => T): Promise<T | undefined> {
    return this.withLog(READ, (log) => {
      if (log === undefined) return use(undefined, []);
      try {
        const end = findEnd(log, this.#header);
        return end && use(end, linesFromBehind(log.handle, end));
      } catch (error) {
        if (error instanceof Unclear) return undefined;
        throw error;
      }
    });
  }

  /** Whether a batch is valid, by reading the log again. */
  async counts(batch: string): Promise<boolean> {
    this.#stopPreparing();
    this.#wanted = batch;
    this.#start(undefined);
    await this.read(() => undefined);
    this.#wanted = undefined;
    return this.#reader.found;
  }

  /** Whether enough of the log is not in the index to make reading slow. */
  isUnindexed(part = UNINDEXED_PART): boolean {
    const { position } = this.#reader;
    return position - this.#indexed >= Math.max(INDEX_FROM_BYTES, position * part);
  }

  /** Writes an index, unless the view keeps changing. The view must be up to date and the lock held. */
  async saveIndex(): Promise<void> {
    for (let attempt = 0; attempt < MAX_INDEXINGS; attempt++) {
      const { state, position } = this.#reader;
      const [mark, log] = [this.#mark, this.#file?.number];
      this.#indexed = position;
      if (state === undefined || mark === undefined || log === undefined || this.#view.index === undefined) return;
      const isWritten = await this.writeIndex(log, { state, mark, pieces: this.#view.index() });
      if (isWritten) return;
    }
  }

  /** Writes the index of a log, which may still be a temporary file. Returns false if it is of no use. */
  async writeIndex(log: number, index: NewIndex): Promise<boolean> {
    const { indexVariant: variant } = this.#view;
    return variant !== undefined && (await writeIndex({ folder: this.#folder, log, variant }, index));
  }

  /** Opens the current log. Returns `undefined` if there is no folder. */
  open(flags: number): Promise<OpenLog | undefined> {
    return openLog(this.#folder, flags);
  }

  /** A function that reads lines of an open log. */
  reading({ handle }: OpenLog): ReadLine<Body> {
    return reading(handle);
  }

  /** Opens a log. Returns `undefined` if it was renamed. */
  openNamed(name: LogName, flags: number): OpenLog | undefined {
    return openNamed(this.#folder, name, flags);
  }

  /** Starts again, with the view of an empty log. */
  #start(file: LogName | undefined, voided = new Set<string>()): void {
    this.#beginnings++;
    this.#file = file;
    this.#voided = voided;
    this.#torn = false;
    this.#mark = undefined;
    this.#indexed = 0;
    this.#end = 0;
    this.#reader = new LogReader(this.#view, this.#header, voided, this.#wanted);
  }

  #catchUp({ name, handle }: OpenLog): void {
    if (name.name !== this.#file?.name) this.#start(name);
    for (const _ of this.#catchingUp(handle, CHUNK_BYTES));
  }

  /** Reads the rest of the log, in chunks. */
  *#catchingUp(handle: number, chunkBytes: number): Iterable<undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        yield* this.#feeding(handle, chunkBytes);
        return;
      } catch (error) {
        if (!(error instanceof Overtaken)) {
          // Lines that were partly applied must not be applied twice.
          this.#start(undefined);
          throw error;
        }
        if (attempt === MAX_ATTEMPTS)
          throw new MemoryError('CORRUPT', 'The lines of a log contradict each other. Restore it from a backup.');
        this.#start(this.#file, error.batch === undefined ? this.#voided : this.#voided.add(error.batch));
      }
    }
  }

  /** Reads the index of a log, if there is one. Returns a function that makes it the state of the view. */
  async #restored(file: LogName, handle: number): Promise<(() => void) | undefined> {
    const { indexVariant: variant } = this.#view;
    if (variant === undefined || this.#misleading === file.name) return undefined;
    const index = openIndex({ folder: this.#folder, log: file.number, variant }, handle);
    const takeOver = index && (await this.#loaded(index));
    if (index === undefined || takeOver === undefined) return undefined;
    return () => {
      takeOver();
      this.#reader.resume(index.state);
      this.#mark = index.mark;
      this.#indexed = index.state.position;
      this.#end = index.state.position;
    };
  }

  async #loaded({ pages }: LogIndex): Promise<(() => void) | undefined> {
    try {
      const takeOver = await this.#view.restore?.(pages);
      if (takeOver === undefined) pages.close();
      return takeOver;
    } catch (error) {
      pages.close();
      if (isSpoilt(error)) return undefined;
      throw error;
    }
  }

  *#feeding(handle: number, chunkBytes: number): Iterable<undefined> {
    const { size } = fstatSync(handle);
    if (size < this.#reader.position || (this.#mark && !isAt(handle, this.#mark))) this.#start(this.#file);
    let rest: Buffer = Buffer.alloc(0);
    for (let offset = this.#reader.position; offset < size; ) {
      // More for a long line, so that it is not searched for its end again and again.
      const chunk = readBytes(handle, offset, Math.min(Math.max(chunkBytes, rest.length), size - offset));
      if (chunk.length === 0) break;
      const bytes = Buffer.concat([rest, chunk]);
      const cut = cutLines(bytes, offset - rest.length);
      this.#reader.feed(cut.pieces);
      this.#mark = lastFingerprint(cut.pieces, bytes, offset - rest.length) ?? this.#mark;
      rest = bytes.subarray(bytes.length - cut.rest);
      offset += chunk.length;
      yield;
    }
    this.#reader.atEnd();
    this.#torn = rest.length > 0;
    this.#end = size;
  }
}

/** Reads ahead while the requested lines are consecutive, in either direction. */
function reading<Body>(handle: number): ReadLine<Body> {
  let chunk: Buffer = Buffer.alloc(0);
  let base = 0;
  let last: Stretch = { offset: -1, end: -1 };
  return (line) => {
    const { offset, end } = line;
    if (offset < base || end > base + chunk.length) {
      base = end === last.offset ? Math.max(0, Math.min(offset, end - AHEAD_BYTES)) : offset;
      const length = offset === last.end ? Math.max(end - offset, AHEAD_BYTES) : end - base;
      chunk = readBytes(handle, base, length);
    }
    last = line;
    const [piece] = cutLines(chunk.subarray(offset - base, end - base), offset).pieces;
    if (piece?.json !== undefined) return JSON.parse(piece.json) as Body;
    throw new Spoilt();
  };
}

function refuseToRead(): never {
  throw new MemoryError('CORRUPT', 'The log to read a line from does not exist.');
}
