/** Runs the tasks of a name one after the other, in the order of the calls. */
export class TaskQueues {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const running = before === undefined ? task() : before.then(task, task);
    this.#last.set(name, running);
    try {
      return await running;
    } finally {
      if (this.#last.get(name) === running) this.#last.delete(name);
    }
  }
}
