/** The longest that one step of a search or a list should take. */
export const STEP_MS = 5;

type Schedule = (callback: () => void) => unknown;

// Browsers have no `setImmediate`. Read once, because tests replace the timers.
const { setImmediate: immediately = setTimeout as Schedule } = globalThis as { setImmediate?: Schedule };

/** Lets the event loop turn, so that timers fire and other work goes on. */
export function pause(): Promise<void> {
  return new Promise((resolve) => immediately(resolve));
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
