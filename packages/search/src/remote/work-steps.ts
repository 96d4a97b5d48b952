import { throwIfAborted } from '@keepsake/core/adapter';
import { pause, STEP_MS } from '../records/pause.ts';

/** Cuts long work into steps, between which other work of the process goes on and timers of signals can fire. */
export class WorkSteps {
  readonly #signal: AbortSignal | undefined;
  #began = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Whether it is time for a {@link pause}. */
  get isDue(): boolean {
    return performance.now() - this.#began > STEP_MS;
  }

  /**
   * Ends a step.
   *
   * @throws MemoryError `ABORTED` if the signal is aborted.
   */
  async pause(): Promise<void> {
    await pause();
    throwIfAborted(this.#signal);
    this.#began = performance.now();
  }
}
