import { closeSync, fstatSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '@keepsake/core';
import { isMissing, listFolder, READ, readBytes, refuseLink } from './disk.ts';
import { findLogs, type LogName } from './file-names.ts';
import { cutLines, type LogPiece } from './log-line.ts';
import { type LogHeader, LogReader, type LogView, Overtaken } from './log-reader.ts';

/** Gives back a line of the log. */
export type ReadLine<Body> = (stretch: Stretch) => Body;

/** A stretch of a file. */
export interface Stretch {
  readonly offset: number;
  readonly end: number;
}

/** What is read at a time. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** How often a log is read anew before it is given up as damaged. */
const MAX_ATTEMPTS = 50;
/** A checksum, a length, and the spaces after them. */
const MARK_BYTES = 20;

/** Keeps a view up to date with the log of a folder, whoever writes it. */
export class LogFollower<Body> {
  readonly #folder: string;
  readonly #header: LogHeader;
  readonly #view: LogView<Body>;
  #voided = new Set<string>();
  #reader: LogReader<Body>;
  /** A batch of which it is to be found out whether it counts. */
  #wanted: string | undefined;
  /** The file that the view tells of. */
  #file: LogName | undefined;
  #torn = false;
  /** How the last line begins that was read: elsewhere, or otherwise, in a file that was replaced. */
  #mark: Mark | undefined;

  constructor(folder: string, header: LogHeader, view: LogView<Body>) {
    this.#folder = folder;
    this.#header = header;
    this.#view = view;
    this.#reader = new LogReader(view, header, this.#voided);
  }

  /** The file that the view tells of; `undefined` where there is none. */
  get file(): LogName | undefined {
    return this.#file;
  }

  /** Whether that file ends in the middle of a line. */
  get torn(): boolean {
    return this.#torn;
  }

  /** What has been read of it. */
  get reader(): Pick<LogReader<Body>, 'position' | 'next' | 'hasHeader' | 'newestAt' | 'isNewest'> {
    return this.#reader;
  }

  /** Brings the view up to date, then hands over a way to read lines of the log; nothing changes until `use` returns. */
  async read<T>(use: (read: ReadLine<Body>) => T): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const file = this.#open();
      if (file !== 'between two names') return this.#readOpen(file, use);
      if (attempt === MAX_ATTEMPTS)
        throw new MemoryError('CORRUPT', 'A folder has lost its log. Restore it from a backup, or remove the folder.');
      await sleep(attempt);
    }
  }

  /** Whether a batch counts, by reading the log anew. */
  async counts(batch: string): Promise<boolean> {
    this.#wanted = batch;
    this.#start(undefined);
    await this.read(() => undefined);
    this.#wanted = undefined;
    return this.#reader.found;
  }

  /** Opens the current log; `undefined` where there is none yet. */
  #open(): OpenLog | undefined | 'between two names' {
    refuseLink(dirname(this.#folder));
    const names = listFolder(this.#folder);
    if (names.length === 0) return undefined;
    const [name] = findLogs(names);
    if (name === undefined) return 'between two names';
    try {
      return { name, handle: openSync(join(this.#folder, name.name), READ) };
    } catch (error) {
      if (isMissing(error)) return 'between two names';
      throw error;
    }
  }

  #readOpen<T>(log: OpenLog | undefined, use: (read: ReadLine<Body>) => T): T {
    if (log?.name.name !== this.#file?.name) this.#start(log?.name);
    if (log === undefined) return use(refuseToRead);
    try {
      this.#catchUp(log.handle);
      return use((stretch) => readLine(log.handle, stretch));
    } finally {
      closeSync(log.handle);
    }
  }

  /** Begins anew, with the view of an empty log. */
  #start(file: LogName | undefined, voided = new Set<string>()): void {
    this.#file = file;
    this.#voided = voided;
    this.#torn = false;
    this.#mark = undefined;
    this.#reader = new LogReader(this.#view, this.#header, voided, this.#wanted);
  }

  #catchUp(handle: number): void {
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

interface OpenLog {
  readonly name: LogName;
  readonly handle: number;
}

/** The first bytes of a line, which hold its checksum. */
interface Mark {
  readonly offset: number;
  readonly bytes: Buffer;
}

function lastMark(pieces: readonly LogPiece[], bytes: Buffer, base: number): Mark | undefined {
  const piece = pieces.findLast(({ json }) => json !== undefined);
  if (piece === undefined) return undefined;
  const start = piece.offset - base;
  return { offset: piece.offset, bytes: Buffer.from(bytes.subarray(start, start + MARK_BYTES)) };
}

function isAt(handle: number, { offset, bytes }: Mark): boolean {
  return readBytes(handle, offset, bytes.length).equals(bytes);
}

function readLine<Body>(handle: number, { offset, end }: Stretch): Body {
  const [piece] = cutLines(readBytes(handle, offset, end - offset), offset).pieces;
  if (piece?.json !== undefined) return JSON.parse(piece.json) as Body;
  throw new MemoryError('CORRUPT', 'A line that was sound is damaged now. Is the disk failing?');
}

function refuseToRead(): never {
  throw new MemoryError('CORRUPT', 'There is no log to read a line of.');
}
