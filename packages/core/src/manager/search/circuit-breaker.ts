/** The number of timeouts in a row after which a store is skipped. */
const MAX_TIMEOUTS = 3;
/** How long it is skipped. Doubles each time it is still too slow after that. */
const COOL_DOWN_MS = 30_000;
const MAX_COOL_DOWN_MS = 300_000;

/** What came of a search. An error is an answer, too, because it costs no time. */
type Outcome = 'answered' | 'timeout' | 'aborted';

/** Skips a store that keeps exceeding its deadline, so that it does not delay each turn. */
export class CircuitBreaker {
  readonly #slowMs: number;
  #timeouts = 0;
  #coolDownMs = COOL_DOWN_MS;
  #openUntil = 0;
  #isProbing = false;

  /** @param slowMs - A timeout after less does not count: its caller had hardly any time left. */
  constructor(slowMs: number) {
    this.#slowMs = slowMs;
  }

  /**
   * Begins a search; `undefined` if the store is skipped. After the cool-down, lets one search through to probe the store.
   *
   * Returns a function to call with the outcome. It returns for how many milliseconds the store is skipped from then on, if it
   * is.
   */
  begin(): ((outcome: Outcome) => number | undefined) | undefined {
    const startedAt = performance.now();
    const isProbe = this.#timeouts >= MAX_TIMEOUTS;
    if (isProbe && (this.#isProbing || startedAt < this.#openUntil)) return undefined;
    if (isProbe) this.#isProbing = true;
    return (outcome) => {
      if (isProbe) this.#isProbing = false;
      if (outcome === 'answered') this.#timeouts = 0;
      const isSlow = outcome === 'timeout' && performance.now() - startedAt >= this.#slowMs;
      return isSlow ? this.#timedOut(isProbe) : undefined;
    };
  }

  #timedOut(isProbe: boolean): number | undefined {
    // Searches that began before the store was skipped.
    if (!isProbe && this.#timeouts >= MAX_TIMEOUTS) return undefined;
    if (!isProbe && ++this.#timeouts < MAX_TIMEOUTS) return undefined;
    this.#coolDownMs = isProbe ? Math.min(2 * this.#coolDownMs, MAX_COOL_DOWN_MS) : COOL_DOWN_MS;
    this.#openUntil = performance.now() + this.#coolDownMs;
    return this.#coolDownMs;
  }
}

/** A circuit breaker for each name of a store, which the stores of all users of a manager share. */
export function circuitBreakers(deadlineMs: number): (storeName: string) => CircuitBreaker {
  const breakers = new Map<string, CircuitBreaker>();
  return (storeName) => {
    const breaker = breakers.get(storeName) ?? new CircuitBreaker(deadlineMs / 2);
    breakers.set(storeName, breaker);
    return breaker;
  };
}
