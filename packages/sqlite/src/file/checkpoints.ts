import type { Connection } from '../database/connection.ts';
import { inBackground } from './background.ts';
import { isLogLong } from './log-length.ts';

/** In pages of mostly 4 KiB: copying changes from the log to the database less often costs less. */
const MAX_FRAMES = 4_000;
/** Changes wait once the log has grown by this many times as much while it is being copied. */
const MOST_TIMES = 4;
/** Looking at the log takes some microseconds. */
const LOOK_AFTER_MS = 50;

const CHECKPOINT = 'PRAGMA wal_checkpoint(PASSIVE)';

/** What is used of the `Database`. */
interface CheckedDatabase {
  read<T>(work: (connection: Connection) => T): Promise<T>;
  whileNothingChanges<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Copies the changes of a long write-ahead log to the database. SQLite would do so at the end of a change, and stop the
 * process until then.
 */
export class Checkpoints {
  readonly #file: string;
  readonly #database: CheckedDatabase;
  readonly #maxFrames: number;
  #lastLook = 0;
  /** The log that was last copied from, and how long it was. It goes on while others read from it. */
  #last = { salt: 0, frames: 0 };
  /** Settles when most of the log is copied. */
  #copying: Promise<unknown> | undefined;

  constructor(file: string, database: CheckedDatabase, maxFrames = MAX_FRAMES) {
    this.#file = file;
    this.#database = database;
    this.#maxFrames = maxFrames;
  }

  /** Settles when nothing of a long log is being copied, apart from what was added meanwhile. */
  get copying(): Promise<unknown> | undefined {
    return this.#copying;
  }

  /** Begins to copy if the log has become long. Returns what the next change must wait for. */
  afterChange(): Promise<unknown> | undefined {
    const now = performance.now();
    if (now - this.#lastLook < LOOK_AFTER_MS) return undefined;
    this.#lastLook = now;
    if (this.#copying !== undefined) {
      const { salt, frames } = this.#last;
      const isTooLong = isLogLong(
        this.#file,
        (current) => (current === salt ? frames : 0) + MOST_TIMES * this.#maxFrames,
      );
      return isTooLong ? this.#copying : undefined;
    }
    let reached = this.#last;
    const isLong = isLogLong(this.#file, (salt) => {
      reached = { salt, frames: (salt === this.#last.salt ? this.#last.frames : 0) + this.#maxFrames };
      return reached.frames;
    });
    if (!isLong) return undefined;
    this.#last = reached;
    void this.#copy();
    return undefined;
  }

  async #copy(): Promise<void> {
    try {
      await inBackground(this.#file, async (run) => {
        const copied = run(CHECKPOINT);
        this.#copying = copied.catch(() => {});
        await copied;
        // The log begins again only after all of it was copied, also what was added meanwhile.
        await this.#database.whileNothingChanges(() => run(CHECKPOINT));
        // Before the thread has ended, which can take long: until then, the log may have become long again.
        this.#copying = undefined;
      });
    } catch {
      // Threads need a permission. If the disk is full, the log keeps the changes until the next time.
      await this.#database.read((connection) => connection.first(CHECKPOINT)).catch(() => {});
      this.#copying = undefined;
    }
  }
}
