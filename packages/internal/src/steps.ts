type Schedule = (callback: () => void) => unknown;

// Read once, because tests replace the timers. Browsers and Cloudflare Workers have no setImmediate.
const { setImmediate: immediately = setTimeout as Schedule } = globalThis as { setImmediate?: Schedule };

/** How long work goes on before the event loop turns. */
export const STEP_MS = 5;

/** Lets the event loop turn, so that timers fire and other work goes on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => immediately(resolve));
}

/** Lets the event loop turn during one long call, whenever its steps have taken long enough. */
export class Pauses {
  #since = performance.now();

  /** Call it after each small step. */
  async afterStep(): Promise<void> {
    if (performance.now() - this.#since < STEP_MS) return;
    await nextTurn();
    this.#since = performance.now();
  }
}

/** Shares each turn of the event loop among many calls that do their work at once, so that together they can't block it. */
export class SharedTurn {
  readonly #stepMs: number;
  /** When the first call of this turn came. */
  #since: number | undefined;
  #next: Promise<void> | undefined;

  /** @param stepMs how much of a turn such calls may take before the others wait for the next one */
  constructor(stepMs = STEP_MS) {
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

/** Long work that can stop after each small step. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does the work at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does the work and lets the event loop turn now and then. */
export async function finishWithPauses<T>(steps: Steps<T>): Promise<T> {
  const pauses = new Pauses();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await pauses.afterStep();
  }
}
