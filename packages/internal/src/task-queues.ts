/** Runs tasks with the same key one after the other, in the order of the calls. */
export class TaskQueues<Key> {
  /** Settles after all tasks with a key. */
  readonly #last = new Map<Key, Promise<unknown>>();

  run<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(task);
    const settled = result.then(ignore, ignore);
    this.#last.set(key, settled);
    settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return result;
  }
}

function ignore(): void {}
