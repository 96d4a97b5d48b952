import type { MemoryStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';

/** A store with `add`, and without `addMessages`: its extraction needs a model. */
export function addOnlyStore(): MemoryStore {
  const store = new InMemoryStore({ name: 'facts' });
  return {
    name: store.name,
    writable: true,
    extraction: true,
    search: store.search.bind(store),
    add: store.add.bind(store),
  };
}
