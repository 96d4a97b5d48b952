type Schedule = (work: () => void) => unknown;

// Read once, because tests replace the timers. Browsers and Cloudflare Workers have no setImmediate.
const { setImmediate: immediately = setTimeout as Schedule } = globalThis as { setImmediate?: Schedule };

/** Keeps the event loop turning while calls do their work at once, each within the turn of the one before. */
export class Turns {
  readonly #stepMs: number;
  /** When the first call of this turn came. */
  #since: number | undefined;
  #next: Promise<void> | undefined;

  /** @param stepMs how much of a turn such calls may take before the others wait for the next one */
  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  /** What a call must wait for before its work; `undefined` if it can go on at once. */
  get wait(): Promise<void> | undefined {
    if (this.#since !== undefined) return performance.now() - this.#since < this.#stepMs ? undefined : this.#next;
    this.#since = performance.now();
    this.#next = new Promise((resolve) => {
      immediately(() => {
        this.#since = undefined;
        resolve();
      });
    });
    return undefined;
  }
}
