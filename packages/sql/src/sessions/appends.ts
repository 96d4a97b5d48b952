/** A batch that waits to be appended. */
interface Waiting {
  readonly items: readonly string[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** About how many characters of items one statement appends. */
const MAX_LENGTH = 4 * 1024 * 1024;

/**
 * Appends batches in order, with one statement in flight. Batches that arrive in the meantime share the next statement, and
 * its outcome. So concurrent callers of one session use one connection, and do not queue for the lock of its row.
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

  /** Appends now, and then what has arrived in the meantime. */
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

  /** The batches for one statement: at least one. */
  #takeWaiting(): Waiting[] {
    let length = 0;
    const end = this.#waiting.findIndex(({ items }, index) => {
      for (const item of items) length += item.length;
      return index > 0 && length > MAX_LENGTH;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }
}
