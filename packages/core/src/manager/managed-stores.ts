import { expect } from '../expect.ts';
import type { MemoryStore } from '../memory-store.ts';
import { quoted } from '../text.ts';

/** Whether texts can be written to a store one by one. */
export function takesTexts(store: MemoryStore): boolean {
  return store.writable && store.add !== undefined;
}

/** Names of stores, for a message. */
export function storeNames(stores: readonly { readonly name: string }[]): string {
  return stores.map(({ name }) => quoted(name)).join(', ') || 'none';
}

/** The stores that are named, in the order in which they were registered, and the names that none has. */
export function findStores(
  stores: readonly MemoryStore[],
  names: unknown,
): { readonly found: MemoryStore[]; readonly unknown: readonly unknown[] } {
  expect(Array.isArray(names), 'stores is to be an array of names.');
  const found = stores.filter(({ name }) => names.includes(name));
  return { found, unknown: names.filter((name) => !found.some((store) => store.name === name)) };
}

/**
 * The stores that a caller names, all where none are named.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for names that no store has.
 */
export function targetStores(
  stores: readonly MemoryStore[],
  names: readonly string[] | undefined,
): readonly MemoryStore[] {
  if (names === undefined) return stores;
  const { found, unknown } = findStores(stores, names);
  const list = unknown.map((name) => quoted(String(name))).join(', ');
  expect(!list, `Unknown stores: ${list}. There are: ${storeNames(stores)}.`);
  return found;
}

/** Has each store do what it must before its first use, once; again at the next use where it failed. */
export function initializer(): (store: MemoryStore) => Promise<void> {
  const ready = new Map<MemoryStore, Promise<void>>();
  return (store) => {
    const started = ready.get(store) ?? (async () => store.initialize?.())();
    ready.set(store, started);
    started.catch(() => ready.delete(store));
    return started;
  };
}
