/** Does work for a key after all earlier work for that key has ended. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = Promise.allSettled([this.#last.get(key)]).then(work);
    this.#last.set(key, turn);
    const end = () => {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    };
    turn.then(end, end);
    return turn;
  }
}
