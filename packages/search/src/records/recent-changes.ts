/** At least this many of the latest changes are known. */
const MIN_KNOWN = 4_096;

/** The ids of the records that changed last. */
export class RecentChanges {
  #ids: string[] = [];
  /** How many changes came before these. */
  #forgotten = 0;

  /** How many changes there have been. */
  get count(): number {
    return this.#forgotten + this.#ids.length;
  }

  add(id: string): void {
    this.#ids.push(id);
    if (this.#ids.length < 2 * MIN_KNOWN) return;
    this.#ids = this.#ids.slice(-MIN_KNOWN);
    this.#forgotten += MIN_KNOWN;
  }

  /** The ids that changed after a number of changes; `undefined` if not all of them are known any more. */
  since(count: number): readonly string[] | undefined {
    return count < this.#forgotten ? undefined : this.#ids.slice(count - this.#forgotten);
  }
}
