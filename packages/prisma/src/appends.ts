/** Items that wait to be appended, and who waits for it. */
interface Waiting {
  readonly items: readonly string[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** About how many characters of items go into one statement. */
const MOST = 4 * 1024 * 1024;

/**
 * Appends batches in their order, one statement at a time: what comes while one is under way goes into the next, together.
 * So many callers of one session hold one connection, and don't wait for its row one after another.
 *
 * Batches that share a statement share what becomes of it.
 */
export class Appends {
  readonly #append: (items: readonly string[]) => Promise<void>;
  #waiting: Waiting[] = [];
  #busy = false;

  constructor(append: (items: readonly string[]) => Promise<void>) {
    this.#append = append;
  }

  add(items: readonly string[]): Promise<void> {
    if (!this.#busy) return this.#now(items);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ items, resolve, reject });
    });
  }

  /** Appends at once, and then what has come meanwhile. */
  async #now(items: readonly string[]): Promise<void> {
    this.#busy = true;
    try {
      await this.#append(items);
    } finally {
      this.#busy = false;
      this.#next();
    }
  }

  #next(): void {
    const batches = this.#takeWaiting();
    if (batches.length === 0) return;
    const done = this.#now(batches.flatMap(({ items }) => items));
    for (const { resolve, reject } of batches) done.then(resolve, reject);
  }

  /** The batches for one statement: one at least. */
  #takeWaiting(): Waiting[] {
    let length = 0;
    const end = this.#waiting.findIndex(({ items }, index) => {
      for (const item of items) length += item.length;
      return index > 0 && length > MOST;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}
