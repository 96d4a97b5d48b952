import { quoted } from '@keepsake/internal';
import { isMemoryError, MemoryError, type MemoryErrorCode } from '../../common/errors.ts';
import { expect } from '../../common/expect.ts';
import { readList } from '../../common/read-values.ts';
import type { MemoryStore } from '../../store/memory-store.ts';

/** Whether texts can be added to a store. */
export function takesTexts(store: MemoryStore): store is MemoryStore & Required<Pick<MemoryStore, 'add'>> {
  return store.writable && store.add !== undefined;
}

/** Runs a check of a store and adds the store's name to its errors. */
export function namingStore<Result>(store: MemoryStore, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    const { message, cause } = error;
    throw new MemoryError('INVALID_ARGUMENT', `Store ${quoted(String(store.name))}: ${message}`, { cause });
  }
}

/** Store names for a message. */
export function storeNames(stores: readonly { readonly name: string }[]): string {
  return stores.map(({ name }) => quoted(name)).join(', ') || 'none';
}

/** The code for a store that refuses a write, or if none takes one. */
export function writeCode(store: MemoryStore | undefined): MemoryErrorCode {
  return store?.writable ? 'UNSUPPORTED' : 'READ_ONLY';
}

/** The error for a store that can't do `what`, or if none can. */
export function unable(
  code: MemoryErrorCode,
  store: MemoryStore | undefined,
  what: string,
  able: readonly MemoryStore[],
): MemoryError {
  const refused = store ? `Store ${quoted(store.name)} can't` : 'No store can';
  return new MemoryError(code, `${refused} ${what}. These can: ${storeNames(able)}.`);
}

/** The named stores, in order of registration, and unknown names. */
export function findStores(
  stores: readonly MemoryStore[],
  uncheckedNames: unknown,
): { readonly found: MemoryStore[]; readonly unknown: readonly unknown[] } {
  const names = readList(uncheckedNames as readonly unknown[], 'stores', 'stores must be an array of names.');
  const foundStores = stores.filter(({ name }) => names.includes(name));
  return { found: foundStores, unknown: names.filter((name) => !foundStores.some((store) => store.name === name)) };
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
  const { found: foundStores, unknown } = findStores(stores, names);
  const list = unknown.map((name) => quoted(String(name))).join(', ');
  expect(!list, `Unknown stores: ${list}. There are: ${storeNames(stores)}.`);
  return foundStores;
}

/**
 * The stores that a caller names, or all that can do `what`.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for unknown names; that of `codeOf` if one of the named can't do it, or none.
 */
export function ableStores<Able extends MemoryStore>(
  all: readonly MemoryStore[],
  names: readonly string[] | undefined,
  isAble: (store: MemoryStore) => store is Able,
  what: string,
  codeOf: (store: MemoryStore | undefined) => MemoryErrorCode,
): readonly Able[] {
  const able = all.filter(isAble);
  const stores = names === undefined ? able : targetStores(all, names);
  const other = stores.find((store) => !isAble(store));
  if (other || (!names && able.length === 0)) throw unable(codeOf(other), other, what, able);
  return stores as readonly Able[];
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
