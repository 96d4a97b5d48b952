import { closeSync, fstatSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '@keepsake/core';
import { isMissing, listFolder, READ, readBytes, refuseLink, type Stretch } from '../disk/disk.ts';
import { findLogs, type LogName } from '../disk/file-names.ts';
import { findEnd, type LogEnd, linesFromBehind, type OpenLog, Unclear } from './backward-reader.ts';
import { isAt, lastMark, type Mark } from './fingerprint.ts';
import { readIndex, writeIndex } from './log-index.ts';
import { cutLines } from './log-line.ts';
import { type LogEntry, type LogHeader, LogReader, type LogView, Overtaken, type ReaderState } from './log-reader.ts';

/** Gives back a line of the log. */
export type ReadLine<Body> = (stretch: Stretch) => Body;

/** A view that another process need not make anew from the whole log. */
export interface IndexedView<Body> extends LogView<Body> {
  /** Tells apart the indexes of views that can't read one another's; hex digits. Missing where there are none. */
  readonly indexVariant?: string | undefined;
  /** What the view knows, with its lines in the places that `moved` gives. */
  index?(moved?: (stretch: Stretch) => Stretch): Uint8Array;
  /** Takes in what another view knew; false where it can't, and is as it was. */
  restore?(index: Uint8Array): boolean;
}

/** What is read at a time. */
const CHUNK_BYTES = 4 * 1024 * 1024;
const AHEAD_BYTES = 256 * 1024;
/** How often a log is read anew before it is given up as damaged. */
const MAX_ATTEMPTS = 50;
/** Below this, a log is read as quickly as its index. */
const INDEX_FROM_BYTES = 1024 * 1024;
/** An index is written anew when this part of the log is not in it. */
const UNINDEXED_PART = 1 / 8;

/** Follows the log of a folder, whoever writes it: keeps a view up to date with all of it, or reads it from behind. */
export class LogFollower<Body> {
  readonly #folder: string;
  readonly #header: LogHeader;
  readonly #view: IndexedView<Body>;
  #voided = new Set<string>();
  #reader: LogReader<Body>;
  /** A batch of which it is to be found out whether it counts. */
  #wanted: string | undefined;
  /** The file that the view tells of. */
  #file: LogName | undefined;
  #torn = false;
  #mark: Mark | undefined;
  /** Up to here there is an index. */
  #indexed = 0;
  #beginnings = 0;

  constructor(folder: string, header: LogHeader, view: IndexedView<Body>) {
    this.#folder = folder;
    this.#header = header;
    this.#view = view;
    this.#reader = new LogReader(view, header, this.#voided);
  }

  /** The file that the view tells of; `undefined` where there is none. */
  get file(): LogName | undefined {
    return this.#file;
  }

  /** Changes whenever the view is emptied and made anew. */
  get beginnings(): number {
    return this.#beginnings;
  }

  /** Whether that file ends in the middle of a line. */
  get torn(): boolean {
    return this.#torn;
  }

  /** What has been read of it. */
  get reader(): Pick<
    LogReader<Body>,
    'position' | 'next' | 'generation' | 'hasHeader' | 'newest' | 'newestAt' | 'isNewest'
  > {
    return this.#reader;
  }

  /** Opens the current log, and closes it after use; `undefined` where there is no folder. */
  async withLog<T>(flags: number, use: (log: OpenLog | undefined) => T | Promise<T>): Promise<T> {
    const log = await this.open(flags);
    try {
      return await use(log);
    } finally {
      if (log !== undefined) closeSync(log.handle);
    }
  }

  /** Brings the view up to date, then hands over a way to read lines of the log; nothing changes until `use` returns. */
  read<T>(use: (read: ReadLine<Body>) => T): Promise<T> {
    return this.withLog(READ, (log) => this.readOpen(log, use));
  }

  /** The same for a log that is open. `use` is called again where a line turns out to be damaged that was sound once. */
  readOpen<T>(log: OpenLog | undefined, use: (read: ReadLine<Body>) => T): T {
    if (log === undefined) {
      if (this.#file !== undefined) this.#start(undefined);
      return use(refuseToRead);
    }
    try {
      this.#catchUp(log);
      return use(reading(log.handle));
    } catch (error) {
      if (!(error instanceof Spoilt)) throw error;
    }
    this.readAnew(log);
    return use(reading(log.handle));
  }

  /** Reads all of the log, without an index, so that damage in it is found and told of. */
  readAnew(log: OpenLog): void {
    this.#start(log.name);
    this.#catchUp(log);
  }

  /** Hands over the lines that count, the newest first; `undefined` where only reading the whole log can tell. */
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

  /** Whether a batch counts, by reading the log anew. */
  async counts(batch: string): Promise<boolean> {
    this.#wanted = batch;
    this.#start(undefined);
    await this.read(() => undefined);
    this.#wanted = undefined;
    return this.#reader.found;
  }

  /** Whether so much of the log is in no index that reading it takes a while, or that much longer than the rest. */
  isUnindexed(part = UNINDEXED_PART): boolean {
    const { position } = this.#reader;
    return position - this.#indexed >= Math.max(INDEX_FROM_BYTES, position * part);
  }

  /** Writes an index. The view is up to date, and the lock held. */
  saveIndex(): void {
    const { state, position } = this.#reader;
    const bytes = state && this.#view.index?.();
    if (bytes && this.#mark) this.writeIndex(this.#file?.number as number, state, this.#mark, bytes);
    this.#indexed = position;
  }

  /** Writes the index of a log, which may be one in the making. */
  writeIndex(log: number, state: ReaderState, mark: Mark, bytes: Uint8Array): void {
    const { indexVariant: variant } = this.#view;
    if (variant !== undefined) writeIndex({ folder: this.#folder, log, variant }, { state, mark, bytes });
  }

  /** Opens the current log; `undefined` where there is no folder. */
  async open(flags: number): Promise<OpenLog | undefined> {
    for (let attempt = 1; ; attempt++) {
      refuseLink(dirname(this.#folder));
      const names = listFolder(this.#folder);
      if (names.length === 0) return undefined;
      const [name] = findLogs(names);
      const log = name && this.openLog(name, flags);
      if (log !== undefined) return log;
      // It is between two names.
      if (attempt === MAX_ATTEMPTS)
        throw new MemoryError('CORRUPT', 'A folder has lost its log. Restore it from a backup, or remove the folder.');
      await sleep(attempt);
    }
  }

  /** A way to read lines of a log that is open. */
  reading({ handle }: OpenLog): ReadLine<Body> {
    return reading(handle);
  }

  /** Opens a log; `undefined` where it has another name by now. */
  openLog(name: LogName, flags: number): OpenLog | undefined {
    try {
      return { name, handle: openSync(join(this.#folder, name.name), flags) };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Begins anew, with the view of an empty log. */
  #start(file: LogName | undefined, voided = new Set<string>()): void {
    this.#beginnings++;
    this.#file = file;
    this.#voided = voided;
    this.#torn = false;
    this.#mark = undefined;
    this.#indexed = 0;
    this.#reader = new LogReader(this.#view, this.#header, voided, this.#wanted);
  }

  #catchUp({ name, handle }: OpenLog): void {
    if (name.name !== this.#file?.name) {
      this.#start(name);
      if (this.#wanted === undefined) this.#restore(handle);
    }
    for (let attempt = 1; ; attempt++) {
      try {
        this.#feed(handle);
        return;
      } catch (error) {
        if (!(error instanceof Overtaken)) {
          // What was taken in halfway is not to be taken in twice.
          this.#start(undefined);
          throw error;
        }
        if (attempt === MAX_ATTEMPTS)
          throw new MemoryError('CORRUPT', 'The lines of a log contradict one another. Restore it from a backup.');
        this.#start(this.#file, error.batch === undefined ? this.#voided : this.#voided.add(error.batch));
      }
    }
  }

  #restore(handle: number): void {
    const { indexVariant: variant } = this.#view;
    if (variant === undefined || this.#file === undefined) return;
    const index = readIndex({ folder: this.#folder, log: this.#file.number, variant }, handle);
    if (index === undefined || !this.#view.restore?.(index.bytes)) return;
    this.#reader.resume(index.state);
    this.#mark = index.mark;
    this.#indexed = index.state.position;
  }

  #feed(handle: number): void {
    const { size } = fstatSync(handle);
    if (size < this.#reader.position || (this.#mark && !isAt(handle, this.#mark))) this.#start(this.#file);
    let rest: Buffer = Buffer.alloc(0);
    for (let offset = this.#reader.position; offset < size; ) {
      const chunk = readBytes(handle, offset, Math.min(CHUNK_BYTES, size - offset));
      if (chunk.length === 0) break;
      const bytes = Buffer.concat([rest, chunk]);
      const cut = cutLines(bytes, offset - rest.length);
      this.#reader.feed(cut.pieces);
      this.#mark = lastMark(cut.pieces, bytes, offset - rest.length) ?? this.#mark;
      rest = bytes.subarray(bytes.length - cut.rest);
      offset += chunk.length;
    }
    this.#reader.atEnd();
    this.#torn = rest.length > 0;
  }
}

/** A line that was sound when it was read first is damaged now. */
export class Spoilt extends MemoryError {}

/** Reads ahead as long as lines are asked for that follow one another. */
function reading<Body>(handle: number): ReadLine<Body> {
  let chunk: Buffer = Buffer.alloc(0);
  let base = 0;
  let next = -1;
  return ({ offset, end }) => {
    if (offset < base || end > base + chunk.length) {
      chunk = readBytes(handle, offset, offset === next ? Math.max(end - offset, AHEAD_BYTES) : end - offset);
      base = offset;
    }
    next = end;
    const [piece] = cutLines(chunk.subarray(offset - base, end - base), offset).pieces;
    if (piece?.json !== undefined) return JSON.parse(piece.json) as Body;
    throw new Spoilt('CORRUPT', 'A line that was sound is damaged now. Is the disk failing?');
  };
}

function refuseToRead(): never {
  throw new MemoryError('CORRUPT', 'There is no log to read a line of.');
}
