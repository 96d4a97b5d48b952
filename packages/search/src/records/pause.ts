/** The longest that one step of a search or a list should take. */
export const STEP_MS = 5;

type Schedule = (callback: () => void) => unknown;

// Browsers have no `setImmediate`. Read once, because tests replace the timers.
const { setImmediate: immediately = setTimeout as Schedule } = globalThis as { setImmediate?: Schedule };

/** Lets the event loop turn, so that timers fire and other work goes on. */
export function pause(): Promise<void> {
  return new Promise((resolve) => immediately(resolve));
}

/** Shares each turn of the event loop among the steps of all calls that run at the same time. */
export class SharedTurn {
  /** When the first step of this turn began. */
  #since: number | undefined;

  /** Call it right before a step. Returns false if the steps of this turn have taken as long as one should. */
  takes(): boolean {
    if (this.#since !== undefined) return performance.now() - this.#since < STEP_MS;
    this.#since = performance.now();
    immediately(() => {
      this.#since = undefined;
    });
    return true;
  }
}

/** Lets the event loop turn whenever the last turn was longer ago than a step should take. */
export class Pauses {
  #since = performance.now();

  async afterStep(): Promise<void> {
    if (performance.now() - this.#since < STEP_MS) return;
    await pause();
    this.#since = performance.now();
  }
}
