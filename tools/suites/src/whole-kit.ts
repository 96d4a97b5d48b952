import {
  describeMemoryStore,
  describeRecordStore,
  describeSession,
  describeSessionStore,
  type TestRunner,
} from '@keepsake/conformance';
import type { DurableSession, RecordStore, SessionStore, StoreCapabilities } from '@keepsake/core';

export type { TestRunner };

/** A place of a backend for one case, empty at first. Whatever is opened in it shares its data. */
export interface Place {
  store(options?: object): RecordStore;
  session(sessionId?: string): DurableSession;
  sessions(): SessionStore;
  close?(): void | Promise<void>;
}

/** What a store on a server promises. With an embedder, its search is hybrid. */
export const ON_A_SERVER = {
  search: 'lexical',
  consistency: 'strong',
  durable: true,
  shared: true,
  atomicBatch: true,
  ttl: true,
  enumerate: true,
  filter: true,
  history: true,
} as const satisfies StoreCapabilities;

/** A backend with stores. */
export interface StoreBackend extends TestRunner {
  readonly name: string;
  readonly capabilities: StoreCapabilities;
  /** Called once per case. */
  readonly place: () => Pick<Place, 'store' | 'close'> | Promise<Pick<Place, 'store' | 'close'>>;
  /** Only these concerns of `RecordStore`, if given. Then `MemoryStore` is left out. */
  readonly concerns?: readonly string[] | undefined;
}

/** Gives a backend to the conformance kits for stores. */
export function describeStores({ place, concerns, capabilities, ...subject }: StoreBackend): void {
  describeRecordStore({
    ...subject,
    capabilities,
    ...(concerns && { concerns }),
    async harness() {
      const { store, close } = await place();
      return { open: store, ...(close && { close }) };
    },
  });
  if (concerns !== undefined) return;

  describeMemoryStore({
    ...subject,
    capabilities: { search: capabilities.search, add: true, addMessages: 'verbatim', filter: true },
    async harness() {
      const { store, close } = await place();
      return {
        open: store,
        async fill(contents) {
          await store().putMany(contents.map((content) => ({ content })));
        },
        ...(close && { close }),
      };
    },
  });
}

/** A backend with stores and sessions. */
export interface WholeBackend extends TestRunner {
  readonly name: string;
  /** Those of its stores. */
  readonly capabilities: StoreCapabilities;
  /** How large an item of a session can be, if that is less than 16 MiB. */
  readonly itemBytes?: number | undefined;
  /** Called once per case. */
  readonly place: () => Place | Promise<Place>;
  /** Only these concerns, if given. Then `SessionStore` and `MemoryStore` are left out. */
  readonly concerns?: { readonly stores: readonly string[]; readonly sessions: readonly string[] } | undefined;
}

/** What a connection can change: how statements are made, and how transactions begin and end. */
export const CONCERNS_OF_CONNECTIONS = {
  stores: [
    ...['Putting', 'Replacing', 'Batches', 'Deleting', 'Searching', 'Lifecycle', 'Concurrency'],
    ...['Linearizability', 'Histories'],
  ],
  sessions: [
    ...['reading', 'appending', 'popping', 'transactions', 'mutations'],
    ...['concurrent callers', 'concurrent changes', 'linearizability'],
  ],
};

/** Gives a backend to all kits of the conformance kit. */
export function describeWholeKit({ place, concerns, itemBytes, capabilities, ...subject }: WholeBackend): void {
  describeStores({ ...subject, capabilities, place, concerns: concerns?.stores });
  describeSession({
    ...subject,
    capabilities: { shared: true, keepsIdOnClear: true, anyItem: true, anyId: true, ...(itemBytes && { itemBytes }) },
    ...(concerns && { concerns: concerns.sessions }),
    async harness() {
      const { session, close } = await place();
      return { open: session, ...(close && { close }) };
    },
  });
  if (concerns !== undefined) return;

  describeSessionStore({
    ...subject,
    capabilities: { shared: true },
    async harness() {
      const { sessions, close } = await place();
      return { store: sessions(), reopen: sessions, ...(close && { close }) };
    },
  });
}
