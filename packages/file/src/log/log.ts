import { closeSync, fstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { MemoryError } from '@keepsake/core';
import {
  APPEND,
  type Durability,
  flush,
  listFolder,
  type Stretch,
  syncFolder,
  tryRename,
  writeAll,
} from '../disk/disk.ts';
import { type HeldLock, lockFolder } from '../disk/file-lock.ts';
import { findLogs, type LogName } from '../disk/file-names.ts';
import { serially } from '../disk/in-turn.ts';
import { discardedPath, removeDiscarded } from '../disk/scratch.ts';
import { findEnd, holdingsAfter, type LogEnd, type OpenLog } from './backward-reader.ts';
import { type Holdings, NOTHING } from './batch-footer.ts';
import { type CompactableView, compact } from './compaction.ts';
import { encodeBatch } from './encode-batch.ts';
import { isAt, type Mark } from './fingerprint.ts';
import { createFolder, tidyFolder } from './log-folder.ts';
import { LogFollower, type ReadLine, Spoilt } from './log-follower.ts';
import { encodeLine, TORN } from './log-line.ts';
import { batchKey, type LogEntry, type LogHeader } from './log-reader.ts';
import { timestamp } from './timestamp.ts';

/** What to append. */
export interface Change {
  /** One JSON object a line, as text. */
  readonly lines: readonly string[];
  /** For a session: so many of the lines, the last ones, are items. */
  readonly items?: number;
  /** For a session: so many of them, the last ones, are items or hold operations. */
  readonly live?: number;
  /** For a session: what it holds before these items, where the other lines change that. */
  readonly kept?: Holdings;
}

/** What to append, seeing the view; `undefined` for nothing. */
export type Decide<Body> = (read: ReadLine<Body>) => Change | undefined;

/** A line that changes nothing. */
const SEAL = '{"seal":true}';

/** Logs below this size are not worth compacting. */
const COMPACT_FROM_BYTES = 1024 * 1024;

/** How often a log is begun afresh where others take it over meanwhile. */
const MAX_COMPACTIONS = 10;

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
  readonly #follower: LogFollower<Body>;
  /** The name of the lock when it was given back, and of the log then: as long as nobody else takes it, that stays. */
  #lastLock: string | undefined;
  #lastFile: LogName | undefined;
  /** Where the log ended after the last append from behind. */
  #lastEnd: { readonly file: LogName; readonly mark: Mark; readonly end: LogEnd } | undefined;

  constructor(folder: string, header: LogHeader, view: CompactableView<Body>, durability: Durability) {
    this.#folder = folder;
    this.#header = header;
    this.#view = view;
    this.#durability = durability;
    this.#follower = new LogFollower(folder, header, view);
  }

  /** Brings the view up to date, then hands over a way to read lines of the log; nothing changes until `use` returns. */
  read<T>(use: (read: ReadLine<Body>) => T): Promise<T> {
    return this.#follower.read(use);
  }

  /** Hands over the lines that count, the newest first; `undefined` where only reading the whole log can tell. */
  readFromBehind<T>(use: (end: LogEnd | undefined, lines: Iterable<LogEntry<Body>>) => T): Promise<T | undefined> {
    return this.#follower.readFromBehind(use);
  }

  /**
   * Appends one batch. `decide` is called with the view up to date and the lock held, and says what to write. It may be
   * called again.
   */
  change(decide: Decide<Body>): Promise<void> {
    return this.#write((log) => {
      const change = this.#follower.readOpen(log, decide);
      return change && { change, end: this.#wholeEnd(log) };
    });
  }

  /** Appends one batch that depends on nothing. It costs the same however long the log is. */
  append(change: Change): Promise<void> {
    return this.#write((log) => {
      const end = log && this.#endOf(log);
      if (end) return { change, end };
      this.#follower.readOpen(log, ignore);
      return { change, end: this.#wholeEnd(log) };
    });
  }

  /** Moves what is left of damaged lines to a file beside the log; false where there is no log, or none is damaged. */
  async mend(): Promise<boolean> {
    let mended = false;
    await this.#withLock(async (log, lock) => {
      if (this.#view.damagedPieces.length > 0) mended = await this.#compact(log, lock);
    });
    return mended;
  }

  /** Writes what is still so to a new log, in which nothing is left of what was removed. */
  async compact(): Promise<void> {
    for (let tries = 0; tries < MAX_COMPACTIONS; tries++) {
      let isDone = true;
      await this.#withLock(async (log, lock) => {
        isDone = await this.#compact(log, lock).catch((error) => {
          if (!(error instanceof Spoilt)) throw error;
          // A line that is to be carried over is damaged, behind an index: with the damage known, it can be set aside.
          this.#follower.readAnew(log);
          return this.#compact(log, lock);
        });
        // The index of the old log knows the words of what was removed.
        if (isDone) tidyFolder(this.#folder, lock);
      });
      if (isDone) return;
    }
    throw new MemoryError('BACKEND', 'The log could not be written afresh: others took it over each time. Try again.');
  }

  /** Writes an index of what has been read, where there is something to gain. Never fails: it can be made anew. */
  async saveIndex(): Promise<void> {
    if (!this.#follower.isUnindexed(0)) return;
    const saving = this.#withLock(() => {
      if (this.#view.damagedPieces.length === 0) this.#follower.saveIndex();
    });
    await saving.catch(ignore);
  }

  /** Calls `use` with the view up to date and the lock held; not where there is no log. */
  #withLock(use: (log: OpenLog, lock: HeldLock) => void | Promise<void>): Promise<void> {
    return serially(this.#folder, async () => {
      const lock = await lockFolder(this.#folder, this.#lastLock);
      if (lock === undefined) return;
      try {
        const log = await this.#openToWrite(lock);
        if (log === undefined) return;
        try {
          this.#follower.readOpen(log, ignore);
          await use(log, lock);
        } finally {
          closeSync(log.handle);
        }
      } finally {
        this.#lastLock = lock.release();
      }
    });
  }

  /**
   * Removes the folder with all that is in it, and says whether it was there. `before` is called with the view up to
   * date and the lock held. What an earlier removal left that was cut short is removed as well.
   */
  remove(before: (read: ReadLine<Body>) => void = ignore): Promise<boolean> {
    return serially(this.#folder, async () => {
      const found = await this.#discard(before);
      removeDiscarded(dirname(this.#folder));
      return found;
    });
  }

  /** Moves the folder out of sight. */
  async #discard(before: (read: ReadLine<Body>) => void): Promise<boolean> {
    for (;;) {
      const lock = await lockFolder(this.#folder);
      if (lock === undefined) return false;
      try {
        // A folder that has lost its log can be removed all the same.
        if (findLogs(listFolder(this.#folder)).length > 0) await this.read(before);
        if (lock.isHeld() && tryRename(this.#folder, discardedPath(dirname(this.#folder)))) {
          if (this.#durability === 'sync') syncFolder(dirname(this.#folder));
          return true;
        }
      } finally {
        lock.release();
      }
    }
  }

  /** Appends the batch that `plan` asks for, when it has seen the log; `undefined` for nothing. */
  #write(plan: Plan): Promise<void> {
    return serially(this.#folder, async () => {
      let written: Batch | undefined;
      try {
        for (;;) {
          const lock = await this.#lock(plan);
          if (lock === undefined && written === undefined) return;
          if (lock === undefined) throw outcomeUnknown();
          try {
            const isDone = written !== undefined && (await this.#counts(written, lock));
            if (!isDone) written = undefined;
            const log = await this.#openToWrite(lock);
            // Somebody has removed the folder from under the lock.
            if (log === undefined) continue;
            try {
              const batch = isDone ? undefined : this.#encode(plan(log), log, lock);
              if (batch === undefined) {
                await this.#seal(log, lock);
                if (lock.isHeld()) return;
                continue;
              }
              writeAll(log.handle, batch.bytes);
              written = batch;
              if (this.#durability === 'sync') await flush(log.handle);
              if (lock.isHeld()) return await this.#finish(batch, log, lock);
            } finally {
              closeSync(log.handle);
            }
          } finally {
            this.#lastLock = lock.release();
          }
        }
      } catch (error) {
        throw written === undefined ? error : outcomeUnknown(error);
      }
    });
  }

  /**
   * Before it is said that a change is done for which nothing is to be written: makes void what those write who have lost
   * the lock, which might else take back what this change relies on. There is nothing to do where the log has a line of
   * this generation.
   */
  async #seal(log: OpenLog, lock: HeldLock): Promise<void> {
    this.#follower.readOpen(log, ignore);
    const { generation, next } = this.#follower.reader;
    if (next === 1 || generation >= lock.generation) return;
    const seal = this.#encode({ change: { lines: [SEAL] }, end: this.#wholeEnd(log) }, log, lock);
    if (seal === undefined) return;
    writeAll(log.handle, seal.bytes);
    if (this.#durability === 'sync') await flush(log.handle);
  }

  /** Takes the lock, making the folder where there is none; `undefined` where there is nothing to write. */
  async #lock(plan: Plan): Promise<HeldLock | undefined> {
    for (;;) {
      const lock = await lockFolder(this.#folder, this.#lastLock);
      if (lock !== undefined) return lock;
      if (plan(undefined) === undefined) return undefined;
      createFolder(this.#folder, this.#headerLine(), this.#durability);
    }
  }

  async #openToWrite(lock: HeldLock): Promise<OpenLog | undefined> {
    const last = lock.isUntouched ? this.#lastFile : undefined;
    // Not remembered where tidying fails.
    this.#lastFile = undefined;
    const name = last ?? tidyFolder(this.#folder, lock);
    this.#lastFile = name;
    return (name && this.#follower.openLog(name, APPEND)) ?? (await this.#follower.open(APPEND));
  }

  #encode(planned: Planned | undefined, { name }: OpenLog, { generation }: HeldLock): Batch | undefined {
    if (planned === undefined) return undefined;
    const { change, end } = planned;
    const head = Buffer.from(`${end.torn ? TORN : ''}${end.hasHeader ? '' : this.#headerLine()}`);
    const start = end.size + head.length;
    const { lines, items = 0, live = 0, kept = end.holdings } = change;
    const batch = {
      first: end.next,
      generation,
      at: timestamp(),
      start,
      footing: kept && { kept, items, live, back: end.newest },
    };
    const { bytes, mark, trail, lastLiveBytes } = encodeBatch(batch, lines);
    const newest = { offset: start, end: start + bytes.length, key: batchKey(batch), at: batch.at };
    return {
      key: newest.key,
      generation,
      file: name,
      bytes: Buffer.concat([head, bytes]),
      mark,
      isWhole: end.isWhole,
      // What the log will end with, unless others write who have lost the lock.
      after: trail && {
        position: newest.end,
        torn: false,
        next: end.next + lines.length,
        newest: { ...newest, trail, lastLiveBytes },
      },
    };
  }

  async #finish(batch: Batch, log: OpenLog, lock: HeldLock): Promise<void> {
    const { after, mark, file, isWhole } = batch;
    if (!isWhole && after?.newest && after.position === fstatSync(log.handle).size) {
      this.#lastEnd = { file, mark, end: after };
      if (!isWorthCompacting(after.position, holdingsAfter(after.newest).bytes)) return;
    }
    this.#follower.readOpen(log, ignore);
    if (!this.#follower.reader.isNewest(batch.key)) {
      throw new MemoryError('BACKEND', 'What was written to a file can not be read back. Is the disk failing?');
    }
    // The change is done, whatever becomes of this: a full disk is no reason to refuse it. The next change tries again.
    await this.#maintain(log, lock).catch(async (error) => {
      if (!(error instanceof Spoilt)) return;
      // A line that is to be carried over is damaged, behind an index: with the damage known, it can be set aside.
      this.#follower.readAnew(log);
      await this.#maintain(log, lock).catch(ignore);
    });
  }

  /** Keeps the log small and quick to open. The view is up to date. */
  async #maintain(log: OpenLog, lock: HeldLock): Promise<void> {
    const { liveBytes, isEmpty, damagedPieces, damageMayGo } = this.#view;
    const isDamaged = damagedPieces.length > 0;
    // A log of which nothing is live is made small at once: what was removed is to be gone.
    const isWorthIt = isEmpty || isWorthCompacting(this.#follower.reader.position, liveBytes);
    if (isWorthIt && (damageMayGo || !isDamaged)) {
      await this.#compact(log, lock);
    } else if (!isDamaged && this.#follower.isUnindexed()) {
      this.#follower.saveIndex();
    }
  }

  #compact(log: OpenLog, lock: HeldLock): Promise<boolean> {
    this.#lastFile = undefined;
    return compact({
      folder: this.#folder,
      header: this.#headerLine(),
      view: this.#view,
      follower: this.#follower,
      log,
      lock,
    });
  }

  /** Whether a batch counts that was written by this process while it may have been taken for dead. */
  async #counts({ key, file, generation }: Batch, lock: HeldLock): Promise<boolean> {
    if (await this.#follower.counts(key)) return true;
    // Generations rise with every takeover, unless the folder was removed and made anew.
    if (this.#follower.file?.number === file.number && lock.generation > generation) return false;
    throw outcomeUnknown();
  }

  #wholeEnd(log: OpenLog | undefined): End {
    const { reader, torn } = this.#follower;
    const { next, hasHeader, newest } = reader;
    const size = log === undefined ? 0 : fstatSync(log.handle).size;
    return { isWhole: true, size, next, hasHeader, torn, newest, holdings: this.#view.holdings };
  }

  /** The end of a log that is read from behind; `undefined` where all of it must be read. */
  #endOf(log: OpenLog): End | undefined {
    const last = this.#lastEnd;
    const { size } = fstatSync(log.handle);
    const isSame = last?.file.name === log.name.name && last.end.position === size && isAt(log.handle, last.mark);
    const end = isSame ? last.end : findEnd(log, this.#header);
    if (end === undefined) return undefined;
    const holdings = end.newest ? holdingsAfter(end.newest) : NOTHING;
    return { isWhole: false, size, next: end.next, hasHeader: true, torn: end.torn, newest: end.newest, holdings };
  }

  #headerLine(): string {
    return encodeLine(JSON.stringify(this.#header));
  }
}

/** What the next batch must know of the log that it continues. */
interface End extends Pick<LogEnd, 'next' | 'torn'> {
  /** Whether it is known by reading all of the log. */
  readonly isWhole: boolean;
  /** Of the file. */
  readonly size: number;
  readonly hasHeader: boolean;
  readonly newest: Stretch | undefined;
  /** Of a session. */
  readonly holdings: Holdings | undefined;
}

interface Planned {
  readonly change: Change;
  readonly end: End;
}

type Plan = (log: OpenLog | undefined) => Planned | undefined;

/** A batch that is about to be written, or was. */
interface Batch {
  readonly key: string;
  readonly generation: number;
  readonly file: LogName;
  readonly bytes: Buffer;
  readonly mark: Mark;
  readonly isWhole: boolean;
  readonly after: LogEnd | undefined;
}

function isWorthCompacting(bytes: number, liveBytes: number): boolean {
  return bytes >= COMPACT_FROM_BYTES && bytes >= 2 * liveBytes;
}

function outcomeUnknown(cause?: unknown): MemoryError {
  return new MemoryError(
    'OUTCOME_UNKNOWN',
    'The change was written, but then the disk failed or this process stood still for so long that another took over: it may or may not have happened. Read, then decide; or retry with the same operationId.',
    cause === undefined ? {} : { cause },
  );
}

function ignore(): undefined {}
