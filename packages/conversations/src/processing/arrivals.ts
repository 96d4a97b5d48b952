/** The runs that are being stored, by session. */
export class Arrivals {
  readonly #storing = new Map<string, Set<Promise<unknown>>>();

  /** Stores a run. */
  async store<T>(session: string, store: () => Promise<T>): Promise<T> {
    const storing = this.#storing.get(session) ?? new Set();
    this.#storing.set(session, storing);
    const stored = store();
    storing.add(stored);
    try {
      return await stored;
    } finally {
      storing.delete(stored);
      if (storing.size === 0) this.#storing.delete(session);
    }
  }

  /** Resolves when the runs are stored, or have failed, that are being stored now. */
  async settled(session: string): Promise<void> {
    await Promise.allSettled(this.#storing.get(session) ?? []);
  }
}
