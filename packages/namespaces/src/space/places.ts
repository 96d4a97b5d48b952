import type { Namespace, RecordStore, StoreIdentity } from '@keepsake/core';
import { LruMap } from '@keepsake/internal';

/** How many stores stay open. */
const MAX_PLACES = 1_000;

/**
 * Shares one open store per namespace, so that backends that load a namespace into memory read it once instead of once per
 * capability.
 */
export class Places {
  readonly #store: RecordStore;
  readonly #open = new LruMap<string, RecordStore>(MAX_PLACES);

  constructor(store: RecordStore) {
    this.#store = store;
  }

  at(namespace: Namespace, identity: Partial<StoreIdentity> = {}): RecordStore {
    // A store that the cache drops is not closed, because it may be in use.
    return this.#open.getOrCreate(JSON.stringify([namespace, identity]), () => this.#store.within(namespace, identity));
  }

  /** Closes all stores. Some backends reopen a closed store faster. */
  async close(): Promise<void> {
    await Promise.all(this.#open.takeAll().map((place) => place.close()));
  }
}
