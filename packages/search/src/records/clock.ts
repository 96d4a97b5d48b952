/** How many cheap pieces of work are between two looks at the time. */
const UNTIMED = 4;

/** Tells when a step is over. Looks at the time now and then. */
export class Clock {
  readonly #until: number;
  #calls = 0;
  #isOver = false;

  constructor(ms: number) {
    this.#until = performance.now() + ms;
  }

  /** Whether it is over after another cheap piece of work. */
  isOver(): boolean {
    return ++this.#calls % UNTIMED === 0 ? this.isOverNow() : this.#isOver;
  }

  isOverNow(): boolean {
    this.#isOver ||= performance.now() >= this.#until;
    return this.#isOver;
  }
}
