import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '@keepsake/core';
import { type Durability, readBytes, syncFolder, withFile, writeAll } from './disk.ts';
import { FIRST_LOCK, type HeldLock, listFolder, lockFolder } from './file-lock.ts';
import { findLogs, isTemporary, type LogName, newLogName, temporaryName } from './file-names.ts';
import { cutLines, encodeLine, type LogPiece } from './log-line.ts';
import { batchKey, type Envelope, type LogHeader, LogReader, type LogView, Overtaken } from './log-reader.ts';
import { serially } from './serially.ts';
import { timestamp } from './timestamp.ts';

/** The state of a log, and how to write it down afresh. */
export interface CompactableView<Body> extends LogView<Body> {
  /** How many bytes of the log tell of what is still so. */
  readonly liveBytes: number;
  /** What is left of damaged lines. */
  readonly damagedPieces: readonly LogPiece[];
  /** The lines that alone make this state, as JSON texts, damage left out. */
  snapshot(read: ReadLine<Body>): Iterable<string>;
}

/** Gives back a line of the log. */
export type ReadLine<Body> = (stretch: Stretch) => Body;

/** What to append, seeing the view: one JSON object a line, as text; `[]` for nothing. */
export type Decide<Body> = (read: ReadLine<Body>) => readonly string[];

/** A stretch of a file. */
export interface Stretch {
  readonly offset: number;
  readonly end: number;
}

/** Logs below this size are not worth compacting. */
const COMPACT_FROM_BYTES = 1024 * 1024;
/** What is read at a time. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** How often a log is read anew before it is given up as damaged. */
const MAX_ATTEMPTS = 50;

/**
 * The log of one folder: several processes append to it, a batch at a time, and read it without waiting for one another.
 *
 * The folder comes into being with the first batch.
 */
export class Log<Body extends object> {
  readonly #folder: string;
  readonly #header: LogHeader;
  readonly #view: CompactableView<Body>;
  readonly #durability: Durability;
  #voided = new Set<string>();
  #reader: LogReader<Body>;
  /** A batch of which it is to be found out whether it counts. */
  #wanted: string | undefined;
  /** The file that the view tells of. */
  #file: LogName | undefined;
  /** Whether that file ends in the middle of a line. */
  #torn = false;

  constructor(folder: string, header: LogHeader, view: CompactableView<Body>, durability: Durability) {
    this.#folder = folder;
    this.#header = header;
    this.#view = view;
    this.#durability = durability;
    this.#reader = new LogReader(view, header, this.#voided);
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

  /**
   * Appends one batch. `decide` is called with the view up to date and the lock held, and gives its lines; `[]` writes
   * nothing. It may be called again.
   */
  change(decide: Decide<Body>): Promise<void> {
    return serially(this.#folder, async () => {
      let unsure: Written | undefined;
      for (;;) {
        const lock = await this.#lock(decide);
        if (lock === undefined) return;
        try {
          if (unsure && (await this.#counts(unsure))) return;
          const written = await this.#append(decide, lock);
          if (written === undefined) return;
          if (lock.isHeld()) return await this.#finish(written, lock);
          unsure = written;
        } finally {
          lock.release();
        }
      }
    });
  }

  /** Removes the folder, and says whether it was there. `before` is called with the view up to date and the lock held. */
  remove(before: () => void = ignore): Promise<boolean> {
    return serially(this.#folder, async () => {
      const lock = await lockFolder(this.#folder);
      if (lock === undefined) return false;
      await this.read(before);
      const rubbish = join(dirname(this.#folder), temporaryName());
      renameSync(this.#folder, rubbish);
      syncFolder(dirname(this.#folder));
      lock.release();
      rmSync(rubbish, { recursive: true, force: true });
      return true;
    });
  }

  /** Takes the lock, making the folder where there is none; `undefined` where there is nothing to write. */
  async #lock(decide: Decide<Body>): Promise<HeldLock | undefined> {
    for (;;) {
      const lock = await lockFolder(this.#folder);
      if (lock !== undefined) {
        this.#tidy(lock);
        return lock;
      }
      if ((await this.read(decide)).length === 0) return undefined;
      await this.#create();
    }
  }

  /** Makes the log one of the lock's generation, so that one who lost the lock can't swap it; removes what a crash left. */
  #tidy(lock: HeldLock): void {
    const names = listFolder(this.#folder);
    const [current, ...old] = findLogs(names);
    for (const name of [...old.map((log) => log.name), ...names.filter(isTemporary)]) rmSync(join(this.#folder, name));
    if (current !== undefined && current.generation < lock.generation) {
      renameSync(join(this.#folder, current.name), join(this.#folder, newLogName(lock.generation, current.number)));
    }
  }

  async #create(): Promise<void> {
    const parent = dirname(this.#folder);
    const folder = join(parent, temporaryName());
    mkdirSync(folder, { recursive: true });
    try {
      writeFileSync(join(folder, FIRST_LOCK), '');
      await withFile(join(folder, newLogName(1, 1)), 'a', (file) =>
        writeAll(file, this.#headerLine(), this.#durability),
      );
      // Fails where another process was first, because its folder is not empty.
      renameSync(folder, this.#folder);
      if (this.#durability === 'sync') syncFolder(parent);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      if (!existsSync(this.#folder)) throw error;
    }
  }

  async #append(decide: Decide<Body>, lock: HeldLock): Promise<Written | undefined> {
    const bodies = await this.read(decide);
    const file = this.#file;
    if (bodies.length === 0 || file === undefined) return undefined;
    const batch = { first: this.#reader.next, generation: lock.generation };
    const lines = encodeBatch(batch, bodies);
    // What a crash left at the end gets a line of its own.
    const bytes = Buffer.from(this.#torn ? `\n${lines}` : lines);
    await withFile(join(this.#folder, file.name), 'a', (handle) => writeAll(handle, bytes, this.#durability));
    return { batch: batchKey(batch), file };
  }

  async #finish({ batch, file }: Written, lock: HeldLock): Promise<void> {
    await this.read(ignore);
    if (!this.#reader.isNewest(batch)) {
      throw new MemoryError('BACKEND', 'What was written to a file can not be read back. Is the disk failing?');
    }
    const size = this.#reader.position;
    // What is damaged stays as it is.
    if (this.#view.damagedPieces.length > 0 || size < 2 * this.#view.liveBytes) return;
    // A log of which nothing is live is made small at once: what was removed is to be gone.
    if (this.#view.liveBytes > 0 && size < COMPACT_FROM_BYTES) return;
    // The change is done, whatever becomes of this: a full disk is no reason to refuse it. The next change tries again.
    await this.#compact(file, lock).catch(ignore);
  }

  /** Whether a batch counts that was written by this process while it may have been taken for dead. */
  async #counts({ batch, file }: Written): Promise<boolean> {
    this.#wanted = batch;
    this.#start(undefined);
    await this.read(ignore);
    this.#wanted = undefined;
    if (this.#reader.found) return true;
    if (this.#file?.number === file.number) return false;
    throw new MemoryError(
      'OUTCOME_UNKNOWN',
      'This process stood still for so long that another took over and rewrote the file: the change may or may not have happened. Read, then decide; or retry with the same operationId.',
    );
  }

  /** Writes what is still so to a new file, and puts it in the place of the old one. Readers go on with the old one. */
  async #compact(file: LogName, lock: HeldLock): Promise<void> {
    const temporary = join(this.#folder, temporaryName());
    await withFile(temporary, 'a', async (handle) => {
      await writeAll(handle, this.#headerLine(), 'os');
      await this.read((read) => {
        let number = 0;
        for (const body of this.#view.snapshot(read)) {
          number++;
          appendFileSync(handle, encodeBatch({ first: number, generation: lock.generation }, [body]));
        }
      });
      await writeAll(handle, Buffer.alloc(0), this.#durability);
    });
    if (!lock.isHeld()) return;
    // Fails where somebody has taken over the lock in this moment, since they remove what they find of others.
    renameSync(temporary, join(this.#folder, newLogName(lock.generation, file.number + 1)));
    if (this.#durability === 'sync') syncFolder(this.#folder);
    rmSync(join(this.#folder, file.name));
    await this.read(ignore);
  }

  /** Opens the current log; `undefined` where there is none yet. */
  #open(): OpenLog | undefined | 'between two names' {
    const [name] = findLogs(listFolder(this.#folder));
    if (name === undefined) return existsSync(this.#folder) ? 'between two names' : undefined;
    try {
      return { name, handle: openSync(join(this.#folder, name.name), 'r') };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'between two names';
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
    this.#reader = new LogReader(this.#view, this.#header, voided, this.#wanted);
  }

  #catchUp(handle: number): void {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#feed(handle);
        return;
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
        if (attempt === MAX_ATTEMPTS)
          throw new MemoryError('CORRUPT', 'The lines of a log contradict one another. Restore it from a backup.');
        this.#start(this.#file, error.batch === undefined ? this.#voided : this.#voided.add(error.batch));
      }
    }
  }

  #feed(handle: number): void {
    const { size } = fstatSync(handle);
    if (size < this.#reader.position) this.#start(this.#file);
    let rest: Buffer = Buffer.alloc(0);
    for (let offset = this.#reader.position; offset < size; ) {
      const chunk = readBytes(handle, offset, Math.min(CHUNK_BYTES, size - offset));
      if (chunk.length === 0) break;
      const bytes = Buffer.concat([rest, chunk]);
      const cut = cutLines(bytes, offset - rest.length);
      this.#reader.feed(cut.pieces);
      rest = bytes.subarray(bytes.length - cut.rest);
      offset += chunk.length;
    }
    this.#reader.atEnd();
    this.#torn = rest.length > 0;
  }

  #headerLine(): Buffer {
    return Buffer.from(encodeLine(JSON.stringify(this.#header)));
  }
}

interface OpenLog {
  readonly name: LogName;
  readonly handle: number;
}

interface Written {
  readonly batch: string;
  readonly file: LogName;
}

function encodeBatch(batch: { first: number; generation: number }, bodies: readonly string[]): string {
  const last = batch.first + bodies.length - 1;
  const at = timestamp();
  const line = (body: string, index: number) => {
    const envelope: Envelope = { ...batch, last, number: batch.first + index, at };
    return encodeLine(`${JSON.stringify(envelope).slice(0, -1)},${body.slice(1)}`);
  };
  return bodies.map(line).join('');
}

function readLine<Body>(handle: number, { offset, end }: Stretch): Body {
  const [piece] = cutLines(readBytes(handle, offset, end - offset), offset).pieces;
  if (piece?.json !== undefined) return JSON.parse(piece.json) as Body;
  throw new MemoryError('CORRUPT', 'A line that was sound is damaged now. Is the disk failing?');
}

function refuseToRead(): never {
  throw new MemoryError('CORRUPT', 'There is no log to read a line of.');
}

function ignore(): readonly never[] {
  return [];
}
