/** A map of at most `maxSize` entries. Adding another one drops the entry that was used least recently. */
export class LruMap<Key, Value> {
  readonly #maxSize: number;
  /** The least recently used entry first. */
  readonly #entries = new Map<Key, Value>();

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  /** The value of `key`, which `create` makes if there is none. Either way, `key` is now the most recently used. */
  getOrCreate(key: Key, create: () => Value): Value {
    const value = this.#entries.has(key) ? (this.#entries.get(key) as Value) : create();
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#maxSize) this.#entries.delete(this.#entries.keys().next().value as Key);
    return value;
  }

  /** Removes all entries, and returns their values. */
  takeAll(): Value[] {
    const values = [...this.#entries.values()];
    this.#entries.clear();
    return values;
  }
}
