import { expect } from '../../common/expect.ts';
import { quoted } from '../../common/text.ts';
import type { MemoryStore } from '../../store/memory-store.ts';

/** Whether texts can be added to a store. */
export function takesTexts(store: MemoryStore): boolean {
  return store.writable && store.add !== undefined;
}

/** Runs a check of a store and adds the store's name to its errors. */
export function namingStore(store: MemoryStore, check: () => void): void {
  try {
    check();
  } catch (error) {
    expect(false, `Store ${quoted(String(store?.name))}: ${(error as Error).message}`);
  }
}

/** Store names for a message. */
export function storeNames(stores: readonly { readonly name: string }[]): string {
  return stores.map(({ name }) => quoted(name)).join(', ') || 'none';
}

/** The named stores, in order of registration, and unknown names. */
export function findStores(
  stores: readonly MemoryStore[],
  names: unknown,
): { readonly found: MemoryStore[]; readonly unknown: readonly unknown[] } {
  expect(Array.isArray(names), 'stores must be an array of names.');
  const found = stores.filter(({ name }) => names.includes(name));
  return { found, unknown: names.filter((name) => !found.some((store) => store.name === name)) };
}

/**
 * The stores that a caller names, or all.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for unknown names.
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

/** Initializes each store once. If that fails, the next use tries again. */
export function initializer(): (store: MemoryStore) => Promise<void> {
  const ready = new Map<MemoryStore, Promise<void>>();
  return (store) => {
    const started = ready.get(store) ?? (async () => store.initialize?.())();
    ready.set(store, started);
    started.catch(() => ready.delete(store));
    return started;
  };
}
