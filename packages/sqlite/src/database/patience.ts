import { pause } from '@keepsake/internal';

/** How long a call waits for locks of other connections. */
export const PATIENCE_MS = 5_000;
/** The longest pause between two attempts. Each is random, so that processes don't meet again. */
const MAX_PAUSE_MS = 20;

/** A call that tries again until it gets a lock. */
export class Patience {
  readonly #since = performance.now();

  /** Whether it has waited long enough to give up. */
  get isOver(): boolean {
    return this.#waited > PATIENCE_MS;
  }

  /**
   * Waits before the next attempt. The pauses get shorter over time, so that the call that has waited longest is the likeliest
   * to get the lock.
   */
  pause(): Promise<void> {
    return pause(1 + Math.random() * MAX_PAUSE_MS * Math.max(0, 1 - this.#waited / PATIENCE_MS), undefined);
  }

  get #waited(): number {
    return performance.now() - this.#since;
  }
}
