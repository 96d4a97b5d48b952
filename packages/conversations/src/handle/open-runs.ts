import { MemoryError } from '@keepsake/core';
import { pause } from '@keepsake/internal';

/** How long `close()` waits for runs that are open. */
const RUNS_MS = 30_000;

/** A run that is open, and how it is finished when the memory closes. */
interface Open {
  abandon(): void;
  finish(): Promise<unknown>;
}

/** The runs that this process works on. */
export class OpenRuns {
  readonly #open = new Set<Open>();
  #closed: Promise<void> | undefined;

  /** @throws MemoryError `CLOSED` */
  expectOpen(): void {
    if (this.#closed !== undefined) throw new MemoryError('CLOSED', 'This memory is closed. Create a new one.');
  }

  add(run: Open): void {
    this.#open.add(run);
  }

  delete(run: Open): void {
    this.#open.delete(run);
  }

  /** Finishes the open runs. Leaves a run that takes too long as it was last saved. */
  close(): Promise<void> {
    this.#closed ??= this.#finish();
    return this.#closed;
  }

  async #finish(): Promise<void> {
    const runs = [...this.#open];
    const patience = new AbortController();
    const ended = Promise.allSettled(runs.map(async (run) => run.finish())).finally(() => patience.abort());
    if (runs.length > 0) await Promise.race([ended, pause(RUNS_MS, patience.signal)]);
    for (const run of this.#open) run.abandon();
  }
}
