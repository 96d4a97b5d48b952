/** For how long a value is good at least, and as a multiple of the time that it took to load. */
const FRESH_MS = 2_000;
const FRESH_PER_LOAD = 10;

/** A value that is loaded when it is needed, at most every two seconds, because many views ask. */
export class Fresh<T> {
  readonly #load: () => Promise<T>;
  #latest: Promise<{ readonly value: T; readonly until: number }> | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** Loads again at the next use, after a change. */
  forget(): void {
    this.#latest = undefined;
  }

  async get(): Promise<T> {
    const lastLoad = this.#latest;
    const latest = (async () => {
      const before = await lastLoad?.catch(() => undefined);
      return before !== undefined && performance.now() < before.until ? before : this.#loaded();
    })();
    this.#latest = latest;
    return (await latest).value;
  }

  async #loaded() {
    const startedAt = performance.now();
    const value = await this.#load();
    const now = performance.now();
    return { value, until: now + Math.max(FRESH_MS, FRESH_PER_LOAD * (now - startedAt)) };
  }
}
