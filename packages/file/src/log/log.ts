import { closeSync, fstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { MemoryError } from '@keepsake/core';
import { syncFolder, tryRename } from '@keepsake/internal/node';
import {
  APPEND,
  closeInBackground,
  listFolder,
  type Stretch,
  syncData,
  type WriteOptions,
  writeAll,
} from '../disk/disk.ts';
import { type HeldLock, lockFolder } from '../disk/file-lock.ts';
import { findLogs, type LogName, parentOf } from '../disk/file-names.ts';
import { serially, TURN } from '../disk/in-turn.ts';
import { discardedPath, removeDiscarded } from '../disk/scratch.ts';
import { findEnd, type LogEnd, type OpenLog, totalsAfter } from './backward-reader.ts';
import { NOTHING, type SessionTotals } from './batch-footer.ts';
import { type CompactableView, compact } from './compaction.ts';
import { discardRemains } from './damaged-remains.ts';
import { encodeBatch } from './encode-batch.ts';
import { type Fingerprint, isAt } from './fingerprint.ts';
import { createFolder, tidyFolder } from './log-folder.ts';
import { LogFollower, type ReadLine } from './log-follower.ts';
import { encodeLine, TORN } from './log-line.ts';
import { batchKey, type LogEntry, type LogHeader } from './log-reader.ts';
import { isSpoilt } from './spoilt.ts';
import { timestamp } from './timestamp.ts';

/** A batch to append. */
export interface Change {
  /** One JSON object per line, as text. */
  readonly lines: readonly string[];
  /** For a session: how many of the last lines are items. */
  readonly items?: number;
  /** For a session: how many of the last lines are items or operations. */
  readonly live?: number;
  /** For a session: the totals before these items, if the other lines change them. */
  readonly kept?: SessionTotals;
}

/** How a log is written. */
export interface LogOptions extends WriteOptions {
  /** Called before each change, with the lock held. */
  readonly announce?: (folder: string, isRemoval: boolean) => void;
}

/** Decides what to append, given the view; `undefined` for nothing. */
export type Decide<Body> = (read: ReadLine<Body>) => Change | undefined;

/** A line that changes nothing. */
const SEAL = '{"seal":true}';

/** Logs below this size are not worth compacting. */
const COMPACT_FROM_BYTES = 1024 * 1024;

/** How many times a compaction is tried if others take over the log. */
const MAX_COMPACTIONS = 10;

/**
 * The log of one folder. Many processes append batches to it, and read it without waiting for each other.
 *
 * The first batch creates the folder.
 */
export class Log<Body extends object> {
  readonly #folder: string;
  readonly #header: LogHeader;
  readonly #view: CompactableView<Body>;
  readonly #options: LogOptions;
  readonly #follower: LogFollower<Body>;
  /** The names of the lock and the log after the last release. They stay the same until another process takes the lock. */
  #lastLock: string | undefined;
  #lastFile: LogName | undefined;
  /** The end of the log after the last append that read it backwards. */
  #lastEnd: { readonly file: LogName; readonly mark: Fingerprint; readonly end: LogEnd } | undefined;

  constructor(folder: string, header: LogHeader, view: CompactableView<Body>, options: LogOptions) {
    this.#folder = folder;
    this.#header = header;
    this.#view = view;
    this.#options = options;
    this.#follower = new LogFollower(folder, header, view);
  }

  /** Updates the view, then calls `use` with a function that reads lines. Nothing changes until `use` returns. */
  async read<T>(use: (read: ReadLine<Body>) => T): Promise<T> {
    await TURN.wait;
    return this.#follower.read(use);
  }

  /** Calls `use` with the valid lines, newest first. Returns `undefined` if only reading the whole log can tell. */
  async readFromBehind<T>(
    use: (end: LogEnd | undefined, lines: Iterable<LogEntry<Body>>) => T,
  ): Promise<T | undefined> {
    await TURN.wait;
    return this.#follower.readFromBehind(use);
  }

  /**
   * Appends one batch. Calls `decide` with an up-to-date view and the lock held; it returns what to write. It can be called
   * more than once.
   */
  change(decide: Decide<Body>): Promise<void> {
    const plan: Plan = (log) => {
      const change = this.#follower.readOpen(log, decide);
      return change && { change, end: this.#wholeEnd(log) };
    };
    return this.#write(plan, (log) => this.#follower.prepare(log));
  }

  /** Appends one batch that does not depend on the view. Costs the same for any length of the log. */
  append(change: Change): Promise<void> {
    return this.#write((log) => {
      const end = log && this.#endOf(log);
      if (end) return { change, end };
      this.#follower.readOpen(log, ignore);
      return { change, end: this.#wholeEnd(log) };
    });
  }

  /** What a write that was cut off left at the end of the log when it was last read. */
  get tail(): Stretch | undefined {
    return this.#follower.tail;
  }

  /**
   * Moves the remains of damaged lines, and of a write that was cut off at the end, to a file beside the log. Returns false if
   * the log is gone.
   */
  async repair(): Promise<boolean> {
    let repaired = false;
    await this.#withLock(async (log, lock) => {
      repaired = await this.#compact(log, lock, this.tail);
    });
    return repaired;
  }

  /**
   * Writes the live data to a new log, without anything that was removed. Deletes the remains of damaged lines for which
   * `discard` returns true.
   */
  async compact(discard?: (remains: string) => boolean): Promise<void> {
    for (let tries = 0; tries < MAX_COMPACTIONS; tries++) {
      let isDone = true;
      await this.#withLock(async (log, lock) => {
        isDone = await this.#compact(log, lock).catch((error) => {
          if (!isSpoilt(error)) throw error;
          // A line to copy is damaged, and an index hid that. Now that the damage is known, it can be set aside.
          this.#follower.readAnew(log);
          return this.#compact(log, lock);
        });
        // The index of the old log contains words of removed records.
        if (isDone) tidyFolder(this.#folder, lock);
        if (isDone && discard) discardRemains(this.#folder, discard);
      });
      if (isDone) return;
    }
    throw new MemoryError(
      'BACKEND',
      'The log could not be compacted, because other processes took it over each time. Try again.',
    );
  }

  /** Writes an index of what has been read, if that saves time, and lets go of it. Never fails, because an index is only a cache. */
  async close(): Promise<void> {
    await this.#saveIndex();
    this.#follower.release();
  }

  async #saveIndex(): Promise<void> {
    if (!this.#follower.isUnindexed(0)) return;
    const saving = this.#withLock(async () => {
      if (this.#view.damagedPieces.length === 0) await this.#follower.saveIndex();
    });
    await saving.catch(ignore);
  }

  /** Calls `use` with an up-to-date view and the lock held, unless there is no log. */
  #withLock(use: (log: OpenLog, lock: HeldLock) => void | Promise<void>): Promise<void> {
    return serially(this.#folder, async () => {
      const lock = await lockFolder(this.#folder, this.#lastLock);
      if (lock === undefined) return;
      try {
        const log = await this.#openToWrite(lock);
        if (log === undefined) return;
        try {
          await this.#follower.prepare(log);
          this.#follower.readOpen(log, ignore);
          await use(log, lock);
        } finally {
          closeInBackground(log.handle);
        }
      } finally {
        this.#lastLock = lock.release();
      }
    });
  }

  /**
   * Removes the folder with everything in it, and returns whether it existed. Calls `before` with an up-to-date view and
   * the lock held. Also removes what an earlier, interrupted removal left.
   */
  remove(before: (read: ReadLine<Body>) => void = ignore): Promise<boolean> {
    return serially(this.#folder, async () => {
      const wasThere = await this.#discard(before);
      removeDiscarded(parentOf(this.#folder));
      return wasThere;
    });
  }

  /** Moves the folder to the scratch folder. */
  async #discard(before: (read: ReadLine<Body>) => void): Promise<boolean> {
    for (;;) {
      const lock = await lockFolder(this.#folder);
      if (lock === undefined) return false;
      try {
        this.#options.announce?.(this.#folder, true);
        // A folder without a log can still be removed.
        if (findLogs(listFolder(this.#folder)).length > 0) await this.read(before);
        if (lock.isHeld() && tryRename(this.#folder, discardedPath(parentOf(this.#folder)))) {
          if (this.#options.durability === 'sync') syncFolder(dirname(this.#folder));
          return true;
        }
      } finally {
        lock.release();
      }
    }
  }

  /** Appends the batch that `plan` returns for the current log, if any. Calls `prepare` before. */
  #write(plan: Plan, prepare: (log: OpenLog) => Promise<void> = async () => {}): Promise<void> {
    return serially(this.#folder, async () => {
      let written: Batch | undefined;
      try {
        for (;;) {
          const lock = await this.#lock(plan);
          if (lock === undefined && written === undefined) return;
          if (lock === undefined) throw outcomeUnknown();
          try {
            this.#options.announce?.(this.#folder, false);
            const isDone = written !== undefined && (await this.#counts(written, lock));
            if (!isDone) written = undefined;
            const log = await this.#openToWrite(lock);
            // The folder was removed while this process held its lock.
            if (log === undefined) continue;
            try {
              await prepare(log);
              const batch = isDone ? undefined : this.#encode(plan(log), log, lock);
              if (batch === undefined) {
                await this.#seal(log, lock);
                if (lock.isHeld()) return;
                continue;
              }
              writeAll(log.handle, batch.bytes);
              written = batch;
              // From here on, the batch survives a power cut.
              if (this.#options.durability === 'sync') await syncData(log.handle);
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
   * Fences off earlier holders before a change that writes nothing is acknowledged: their late writes could otherwise undo
   * what the change relies on. Not needed if the log has a line of this generation.
   */
  async #seal(log: OpenLog, lock: HeldLock): Promise<void> {
    this.#follower.readOpen(log, ignore);
    const { generation, next } = this.#follower.reader;
    if (next === 1 || generation >= lock.generation) return;
    const seal = this.#encode({ change: { lines: [SEAL] }, end: this.#wholeEnd(log) }, log, lock);
    if (seal === undefined) return;
    writeAll(log.handle, seal.bytes);
    if (this.#options.durability === 'sync') await syncData(log.handle);
  }

  /** Acquires the lock, and creates the folder if necessary. Returns `undefined` if there is nothing to write. */
  async #lock(plan: Plan): Promise<HeldLock | undefined> {
    for (;;) {
      const lock = await lockFolder(this.#folder, this.#lastLock);
      if (lock !== undefined) return lock;
      if (plan(undefined) === undefined) return undefined;
      createFolder(this.#folder, this.#header, this.#headerLine(), this.#options);
    }
  }

  async #openToWrite(lock: HeldLock): Promise<OpenLog | undefined> {
    const last = lock.isUntouched ? this.#lastFile : undefined;
    // Not remembered if tidying fails.
    this.#lastFile = undefined;
    const name = last ?? tidyFolder(this.#folder, lock);
    this.#lastFile = name;
    return (name && this.#follower.openNamed(name, APPEND)) ?? (await this.#follower.open(APPEND));
  }

  #encode(planned: Planned | undefined, { name }: OpenLog, { generation }: HeldLock): Batch | undefined {
    if (planned === undefined) return undefined;
    const { change, end } = planned;
    const head = Buffer.from(`${end.torn ? TORN : ''}${end.hasHeader ? '' : this.#headerLine()}`);
    const start = end.size + head.length;
    const { lines, items = 0, live = 0, kept = end.totals } = change;
    const batch = {
      first: end.next,
      generation,
      at: timestamp(),
      start,
      footerInput: kept && { kept, items, live, back: end.newest },
    };
    const { bytes, mark, footer, lastLiveBytes } = encodeBatch(batch, lines);
    const newest = { offset: start, end: start + bytes.length, key: batchKey(batch), at: batch.at };
    return {
      key: newest.key,
      generation,
      file: name,
      bytes: Buffer.concat([head, bytes]),
      mark,
      isWhole: end.isWhole,
      // The end of the log, unless processes that lost the lock write to it.
      after: footer && {
        position: newest.end,
        torn: false,
        next: end.next + lines.length,
        newest: { ...newest, footer, lastLiveBytes },
      },
    };
  }

  async #finish(batch: Batch, log: OpenLog, lock: HeldLock): Promise<void> {
    const { after, mark, file, isWhole } = batch;
    if (!isWhole && after?.newest && after.position === fstatSync(log.handle).size) {
      this.#lastEnd = { file, mark, end: after };
      if (!isWorthCompacting(after.position, totalsAfter(after.newest).bytes)) return;
    }
    await this.#follower.prepare(log);
    this.#follower.readOpen(log, ignore);
    if (!this.#follower.reader.isNewest(batch.key)) {
      throw new MemoryError('BACKEND', 'A write to a file can not be read back. The disk may be failing.');
    }
    // The change is done. A full disk here is no reason to reject it: the next change tries again.
    await this.#maintain(log, lock).catch(async (error) => {
      if (!isSpoilt(error)) return;
      // A line to copy is damaged, and an index hid that. Now that the damage is known, it can be set aside.
      this.#follower.readAnew(log);
      await this.#maintain(log, lock).catch(ignore);
    });
  }

  /** Keeps the log small and quick to open. The view must be up to date. */
  async #maintain(log: OpenLog, lock: HeldLock): Promise<void> {
    const { liveBytes, isEmpty, damagedPieces, damageMayGo } = this.#view;
    const isDamaged = damagedPieces.length > 0;
    // A log without live data is compacted at once: removed data must be gone.
    const isWorthIt = isEmpty || isWorthCompacting(this.#follower.reader.position, liveBytes);
    if (isWorthIt && (damageMayGo || !isDamaged)) {
      await this.#compact(log, lock);
    } else if (!isDamaged && this.#follower.isUnindexed()) {
      await this.#follower.saveIndex();
    }
  }

  #compact(log: OpenLog, lock: HeldLock, tail?: Stretch): Promise<boolean> {
    this.#lastFile = undefined;
    return compact({
      tail,
      folder: this.#folder,
      header: this.#headerLine(),
      view: this.#view,
      follower: this.#follower,
      log,
      lock,
    });
  }

  /** Whether a batch is valid that this process wrote while it may have been presumed dead. */
  async #counts({ key, file, generation }: Batch, lock: HeldLock): Promise<boolean> {
    if (await this.#follower.counts(key)) return true;
    // Every takeover raises the generation, unless the folder was removed and created again.
    if (this.#follower.file?.number === file.number && lock.generation > generation) return false;
    throw outcomeUnknown();
  }

  #wholeEnd(log: OpenLog | undefined): End {
    const { reader, torn } = this.#follower;
    const { next, hasHeader, newest } = reader;
    const size = log === undefined ? 0 : fstatSync(log.handle).size;
    return { isWhole: true, size, next, hasHeader, torn, newest, totals: this.#view.totals };
  }

  /** The end of the log, read backwards, or `undefined` if the whole log must be read. */
  #endOf(log: OpenLog): End | undefined {
    const last = this.#lastEnd;
    const { size } = fstatSync(log.handle);
    const isSame = last?.file.name === log.name.name && last.end.position === size && isAt(log.handle, last.mark);
    const end = isSame ? last.end : findEnd(log, this.#header);
    if (end === undefined) return undefined;
    const totals = end.newest ? totalsAfter(end.newest) : NOTHING;
    return { isWhole: false, size, next: end.next, hasHeader: true, torn: end.torn, newest: end.newest, totals };
  }

  #headerLine(): string {
    return encodeLine(JSON.stringify(this.#header));
  }
}

/** What the next batch needs to know about the log. */
interface End extends Pick<LogEnd, 'next' | 'torn'> {
  /** Whether it was found by reading the whole log. */
  readonly isWhole: boolean;
  /** The size of the file. */
  readonly size: number;
  readonly hasHeader: boolean;
  readonly newest: Stretch | undefined;
  /** For a session. */
  readonly totals: SessionTotals | undefined;
}

interface Planned {
  readonly change: Change;
  readonly end: End;
}

type Plan = (log: OpenLog | undefined) => Planned | undefined;

/** A batch before or after it is written. */
interface Batch {
  readonly key: string;
  readonly generation: number;
  readonly file: LogName;
  readonly bytes: Buffer;
  readonly mark: Fingerprint;
  readonly isWhole: boolean;
  readonly after: LogEnd | undefined;
}

function isWorthCompacting(bytes: number, liveBytes: number): boolean {
  return bytes >= COMPACT_FROM_BYTES && bytes >= 2 * liveBytes;
}

function outcomeUnknown(cause?: unknown): MemoryError {
  return new MemoryError(
    'OUTCOME_UNKNOWN',
    'The change was written, but then the disk failed, or this process was suspended and another took over. The change may or may not have happened. Read, then decide, or retry with the same operationId.',
    cause === undefined ? {} : { cause },
  );
}

function ignore(): undefined {}
