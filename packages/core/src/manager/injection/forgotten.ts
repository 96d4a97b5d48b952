/** The number of forgotten memories to remember, the latest. */
const MAX_IDS = 1_000;

/** The memories that a manager has deleted, so that earlier texts stop showing them. */
export class Forgotten {
  /** When each id was forgotten last, oldest first. */
  readonly #times = new Map<string, number>();
  #now = 0;

  /** The present, to compare with {@link Forgotten.since}. */
  get now(): number {
    return this.#now;
  }

  add(ids: readonly string[]): void {
    this.#now++;
    for (const id of ids) {
      this.#times.delete(id);
      this.#times.set(id, this.#now);
    }
    for (const oldest of this.#times.keys()) {
      if (this.#times.size <= MAX_IDS) return;
      this.#times.delete(oldest);
    }
  }

  /** Whether one of the ids was forgotten after a time. */
  since(time: number, ids: readonly string[]): boolean {
    return time < this.#now && ids.some((id) => (this.#times.get(id) ?? 0) > time);
  }
}
