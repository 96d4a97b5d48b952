import { MemoryError } from '../errors.ts';
import type { MemoryStore } from '../memory-store.ts';
import { quoted } from '../text.ts';

/** Names of stores, for a message. */
export function storeNames(stores: readonly { readonly name: string }[]): string {
  return stores.map(({ name }) => quoted(name)).join(', ') || 'none';
}

/** Which stores are named, in the order in which they were registered, and which names no store has. */
export function findStores(
  stores: readonly MemoryStore[],
  names: readonly string[],
): { readonly found: MemoryStore[]; readonly unknown: string[] } {
  const known = new Set(stores.map(({ name }) => name));
  return {
    found: stores.filter(({ name }) => names.includes(name)),
    unknown: names.filter((name) => !known.has(name)),
  };
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
  if (!Array.isArray(names)) throw new MemoryError('INVALID_ARGUMENT', 'stores is to be an array of names.');
  const { found, unknown } = findStores(stores, names as readonly string[]);
  if (unknown.length === 0) return found;
  throw new MemoryError('INVALID_ARGUMENT', unknownStores(unknown, stores));
}

/** Says which names no store has, and which would do. */
export function unknownStores(names: readonly unknown[], stores: readonly MemoryStore[]): string {
  const unknown = names.map((name) => quoted(String(name))).join(', ');
  return `There is no store ${unknown}. The stores are: ${storeNames(stores)}.`;
}

/** Has each store do what it must before its first use, once; again at the next use where it failed. */
export function initializer(): (store: MemoryStore) => Promise<void> {
  const ready = new WeakMap<MemoryStore, Promise<void>>();
  return (store) => {
    if (store.initialize === undefined) return Promise.resolve();
    const known = ready.get(store);
    if (known !== undefined) return known;
    const started = (async () => store.initialize?.())();
    ready.set(store, started);
    started.catch(() => ready.delete(store));
    return started;
  };
}
