import type { Namespace, RecordStore } from '@keepsake/core';
import type { Closable } from '../kit.ts';

/** Options for opening a store of a harness. Missing options use the backend's defaults. */
export interface OpenOptions {
  readonly name?: string;
  readonly description?: string;
  /** The place below the root of the harness; `[]` by default. */
  readonly namespace?: Namespace;
  readonly writable?: boolean;
  readonly maxSearchResults?: number;
}

/** A tree of namespaces, empty at first, where stores can be opened. */
export interface RecordStoreHarness extends Closable {
  /**
   * A new instance of the store. All instances of one harness share the same data, as two processes would if the backend
   * is shared. A backend that keeps its records in an instance returns `within` of a single instance.
   */
  open(options?: OpenOptions): RecordStore;
  /** Waits until reads see all writes. For eventually consistent backends; awaited after each write. */
  settle?(): Promise<void>;
}

const WRITES: ReadonlySet<PropertyKey> = new Set(['put', 'putMany', 'add', 'addMessages', 'delete', 'clear']);

/** The same harness, whose stores settle after each write, so that cases need not do it. */
export function settling(harness: RecordStoreHarness): RecordStoreHarness {
  const { settle } = harness;
  if (settle === undefined) return harness;
  return {
    open: (options) => settlingStore(harness.open(options), () => settle.call(harness)),
    close: () => harness.close?.(),
  };
}

function settlingStore(store: RecordStore, settle: () => Promise<void>): RecordStore {
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      if (property === 'within') return (...args: unknown[]) => settlingStore(value.apply(target, args), settle);
      if (!WRITES.has(property)) return value.bind(target);
      return async (...args: unknown[]) => {
        const result: unknown = await value.apply(target, args);
        await settle();
        return result;
      };
    },
  });
}
