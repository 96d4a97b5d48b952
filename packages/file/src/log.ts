import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MemoryError } from '@keepsake/core';
import {
  APPEND,
  type Durability,
  flush,
  isMissing,
  listFolder,
  syncFolder,
  tryRename,
  withFile,
  writeAll,
} from './disk.ts';
import { encodeBatch } from './encode-batch.ts';
import { FIRST_LOCK, type HeldLock, lockFolder } from './file-lock.ts';
import { findLogs, isTemporary, type LogName, newLogName, temporaryName } from './file-names.ts';
import { LogFollower, type ReadLine } from './log-follower.ts';
import { encodeLine, type LogPiece, TORN } from './log-line.ts';
import { batchKey, type LogHeader, type LogView } from './log-reader.ts';
import { discardedPath, makingPath, removeDiscarded } from './scratch.ts';
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

/** What to append, seeing the view: one JSON object a line, as text; `[]` for nothing. */
export type Decide<Body> = (read: ReadLine<Body>) => readonly string[];

/** Logs below this size are not worth compacting. */
const COMPACT_FROM_BYTES = 1024 * 1024;

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

  /**
   * Appends one batch. `decide` is called with the view up to date and the lock held, and gives its lines; `[]` writes
   * nothing. It may be called again.
   */
  change(decide: Decide<Body>): Promise<void> {
    return serially(this.#folder, async () => {
      let written: Written | undefined;
      try {
        for (;;) {
          const lock = await this.#lock(decide);
          if (lock === undefined && written === undefined) return;
          if (lock === undefined) throw outcomeUnknown();
          try {
            if (written && (await this.#counts(written, lock))) return;
            written = undefined;
            const batch = await this.#decide(decide, lock);
            if (batch === 'nothing') return;
            // Somebody has removed the folder from under the lock.
            if (batch === 'no log') continue;
            await withFile(join(this.#folder, batch.file.name), APPEND, async (handle) => {
              writeAll(handle, batch.bytes);
              written = batch;
              if (this.#durability === 'sync') await flush(handle);
            });
            if (lock.isHeld()) return await this.#finish(batch, lock);
          } catch (error) {
            // Taken over before anything was written, and the log has another name now.
            if (written !== undefined || !isMissing(error) || lock.isHeld()) throw error;
          } finally {
            lock.release();
          }
        }
      } catch (error) {
        throw written === undefined ? error : outcomeUnknown(error);
      }
    });
  }

  /**
   * Removes the folder with all that is in it, and says whether it was there. `before` is called with the view up to
   * date and the lock held. What an earlier removal left that was cut short is removed as well.
   */
  remove(before: () => void = ignore): Promise<boolean> {
    return serially(this.#folder, async () => {
      const found = await this.#discard(before);
      removeDiscarded(dirname(this.#folder));
      return found;
    });
  }

  /** Moves the folder out of sight. */
  async #discard(before: () => void): Promise<boolean> {
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

  /** Takes the lock, making the folder where there is none; `undefined` where there is nothing to write. */
  async #lock(decide: Decide<Body>): Promise<HeldLock | undefined> {
    for (;;) {
      const lock = await lockFolder(this.#folder);
      if (lock !== undefined) {
        try {
          this.#tidy(lock);
          return lock;
        } catch (error) {
          lock.release();
          throw error;
        }
      }
      if ((await this.read(decide)).length === 0) return undefined;
      this.#create();
    }
  }

  /** Makes the log one of the lock's generation, so that one who lost the lock can't swap it; removes what a crash left. */
  #tidy(lock: HeldLock): void {
    this.#removeFiles(listFolder(this.#folder).filter(isTemporary));
    for (;;) {
      const [current, ...old] = findLogs(listFolder(this.#folder));
      this.#removeFiles(old.map((log) => log.name));
      if (current === undefined || current.generation >= lock.generation) return;
      // Fails where one who lost the lock does the same in this moment.
      const name = newLogName(lock.generation, current.number);
      if (tryRename(join(this.#folder, current.name), join(this.#folder, name))) return;
    }
  }

  #removeFiles(names: readonly string[]): void {
    for (const name of names) rmSync(join(this.#folder, name), { force: true });
  }

  #create(): void {
    const parent = dirname(this.#folder);
    const folder = makingPath(parent, this.#durability);
    try {
      mkdirSync(folder);
      writeFileSync(join(folder, FIRST_LOCK), '');
      writeFileSync(join(folder, newLogName(1, 1)), this.#headerLine(), { flush: this.#durability === 'sync' });
      if (this.#durability === 'sync') syncFolder(folder);
      // Fails where another process was first, because its folder is not empty.
      renameSync(folder, this.#folder);
      if (this.#durability === 'sync') syncFolder(parent);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      if (listFolder(this.#folder).length === 0) throw error;
    }
  }

  async #decide(decide: Decide<Body>, { generation }: HeldLock): Promise<Batch | 'nothing' | 'no log'> {
    const bodies = await this.read(decide);
    const { file, reader, torn } = this.#follower;
    if (bodies.length === 0) return 'nothing';
    if (file === undefined) return 'no log';
    const batch = { first: reader.next, generation, at: timestamp() };
    const header = reader.hasHeader ? '' : this.#headerLine();
    const bytes = Buffer.from(`${torn ? TORN : ''}${header}${encodeBatch(batch, bodies)}`);
    return { key: batchKey(batch), generation, file, bytes };
  }

  async #finish({ key, file }: Batch, lock: HeldLock): Promise<void> {
    await this.read(ignore);
    if (!this.#follower.reader.isNewest(key)) {
      throw new MemoryError('BACKEND', 'What was written to a file can not be read back. Is the disk failing?');
    }
    const size = this.#follower.reader.position;
    // What is damaged stays as it is.
    if (this.#view.damagedPieces.length > 0 || size < 2 * this.#view.liveBytes) return;
    // A log of which nothing is live is made small at once: what was removed is to be gone.
    if (this.#view.liveBytes > 0 && size < COMPACT_FROM_BYTES) return;
    // The change is done, whatever becomes of this: a full disk is no reason to refuse it. The next change tries again.
    await this.#compact(file, lock).catch(ignore);
  }

  /** Whether a batch counts that was written by this process while it may have been taken for dead. */
  async #counts({ key, file, generation }: Written, lock: HeldLock): Promise<boolean> {
    if (await this.#follower.counts(key)) return true;
    // Generations rise with every takeover, unless the folder was removed and made anew.
    if (this.#follower.file?.number === file.number && lock.generation > generation) return false;
    throw outcomeUnknown();
  }

  /** Writes what is still so to a new file, and puts it in the place of the old one. Readers go on with the old one. */
  async #compact(file: LogName, lock: HeldLock): Promise<void> {
    const temporary = join(this.#folder, temporaryName());
    try {
      await withFile(temporary, 'a', async (handle) => {
        await this.read((read) => this.#writeSnapshot(handle, read, lock.generation));
        // Whatever the durability: it replaces what has long been on the disk.
        await flush(handle);
      });
      if (!lock.isHeld()) return;
      // Fails where somebody has taken over the lock in this moment, since they remove what they find of others.
      renameSync(temporary, join(this.#folder, newLogName(lock.generation, file.number + 1)));
      syncFolder(this.#folder);
      this.#removeFiles([file.name]);
    } finally {
      rmSync(temporary, { force: true });
    }
    await this.read(ignore);
  }

  #writeSnapshot(handle: number, read: ReadLine<Body>, generation: number): void {
    const at = this.#follower.reader.newestAt ?? timestamp();
    let first = 0;
    appendFileSync(handle, this.#headerLine());
    for (const body of this.#view.snapshot(read))
      appendFileSync(handle, encodeBatch({ first: ++first, generation, at }, [body]));
  }

  #headerLine(): string {
    return encodeLine(JSON.stringify(this.#header));
  }
}

interface Written {
  readonly key: string;
  readonly generation: number;
  readonly file: LogName;
}

interface Batch extends Written {
  readonly bytes: Buffer;
}

function outcomeUnknown(cause?: unknown): MemoryError {
  return new MemoryError(
    'OUTCOME_UNKNOWN',
    'The change was written, but then the disk failed or this process stood still for so long that another took over: it may or may not have happened. Read, then decide; or retry with the same operationId.',
    cause === undefined ? {} : { cause },
  );
}

function ignore(): readonly never[] {
  return [];
}
