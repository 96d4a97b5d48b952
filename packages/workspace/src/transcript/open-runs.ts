import { MemoryError } from '@keepsake/core';
import { pause } from '@keepsake/internal';

/** How long {@link OpenRuns.finish} waits for runs that have begun. */
const RUNS_MS = 30_000;

/** The runs of an open memory: what is being appended, and what has begun. */
export class OpenRuns {
  readonly #appending = new Set<Promise<void>>();
  readonly #begun = new Set<() => Promise<unknown>>();
  #isAppendable = true;

  /** Throws `CLOSED` once {@link OpenRuns.finish} is done: while it waits, runs that have begun can be appended. */
  expectAppendable(): void {
    if (!this.#isAppendable) throw closed();
  }

  /** Waits for an append. */
  async add(appended: Promise<void>): Promise<void> {
    this.#appending.add(appended);
    await appended.finally(() => this.#appending.delete(appended));
  }

  /** See `Run.begin`. */
  begin(onClose: () => Promise<unknown>): () => void {
    if (typeof onClose !== 'function')
      throw new MemoryError('INVALID_ARGUMENT', '`onClose` must be a function that appends the run.');
    // A function of its own, so that two runs can pass the same one.
    const finish = () => onClose();
    this.#begun.add(finish);
    return () => void this.#begun.delete(finish);
  }

  /** Waits for all appends. Their callers get the errors. */
  async appended(): Promise<void> {
    await Promise.allSettled(this.#appending);
  }

  /** Lets the runs finish that have begun, and refuses others from then on. */
  async finish(signal: AbortSignal | undefined): Promise<void> {
    await this.#finishBegun(signal);
    await this.appended();
    this.#isAppendable = false;
  }

  /** Waits for the runs that have begun. The memory closes even if one of them never ends. */
  async #finishBegun(signal: AbortSignal | undefined): Promise<void> {
    if (this.#begun.size === 0) return;
    const patience = new AbortController();
    const runs = Promise.allSettled(Array.from(this.#begun, async (finish) => finish()));
    const ended = runs.finally(() => patience.abort());
    const timeLeft = pause(RUNS_MS, AbortSignal.any([patience.signal, ...(signal ? [signal] : [])]));
    await Promise.race([ended, timeLeft]);
  }
}

export function closed(): MemoryError {
  return new MemoryError('CLOSED', 'This memory is closed. Open a new one.');
}
