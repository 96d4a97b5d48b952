import { setImmediate as pause } from 'node:timers/promises';

const SLICE_MS = 10;

/** Divides long work into slices, between which the event loop turns. */
export class Slices {
  #since = performance.now();

  /** Lets the event loop turn if the slice is used up. */
  async pause(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MS) return;
    await pause();
    this.#since = performance.now();
  }
}
