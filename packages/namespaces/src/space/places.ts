import type { Namespace, RecordStore, StoreIdentity } from '@keepsake/core';

/** So many places are kept open; the one that was used longest ago goes first. */
const MAX_PLACES = 1_000;

/**
 * The places of a store that are in use. Backends that hold a place in memory read it once so, not once for each
 * capability.
 */
export class Places {
  readonly #store: RecordStore;
  readonly #open = new Map<string, RecordStore>();

  constructor(store: RecordStore) {
    this.#store = store;
  }

  at(namespace: Namespace, identity: Partial<StoreIdentity> = {}): RecordStore {
    const key = JSON.stringify([namespace, identity]);
    const place = this.#open.get(key) ?? this.#store.within(namespace, identity);
    this.#open.delete(key);
    this.#open.set(key, place);
    // It is not closed: somebody may be using it.
    if (this.#open.size > MAX_PLACES) this.#open.delete(this.#open.keys().next().value as string);
    return place;
  }

  /** Closes them, which makes it quicker to open some of them again. */
  async close(): Promise<void> {
    const places = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(places.map((place) => place.close()));
  }
}
