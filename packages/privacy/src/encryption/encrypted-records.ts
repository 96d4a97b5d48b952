import {
  type CompactOptions,
  isMemoryError,
  type MemoryEntry,
  type MemoryRecord,
  type Namespace,
  type NamespaceInfo,
  type Page,
  type RecordStore,
} from '@keepsake/core';
import {
  canonicalJson,
  type IdentifiedRecord,
  matchesFilter,
  type NamespaceList,
  type NamespaceRecords,
  nextNamespacesOf,
  type PutOptions,
  type RecordList,
  type RecordSearch,
  type RemovalOptions,
  throwIfAborted,
} from '@keepsake/core/adapter';
import { versionsOf } from '@keepsake/internal';
import type { DecryptedIndex } from './decrypted-index.ts';
import type { RecordSealer } from './record-sealer.ts';

/** The encrypted records of one namespace of a store. */
export class EncryptedRecords implements NamespaceRecords {
  readonly #store: RecordStore;
  readonly #sealer: RecordSealer;
  readonly #index: DecryptedIndex;
  readonly #namespace: Namespace;

  constructor(store: RecordStore, sealer: RecordSealer, index: DecryptedIndex) {
    this.#store = store;
    this.#sealer = sealer;
    this.#index = index;
    this.#namespace = store.namespace;
  }

  async get(id: string, asOf?: string): Promise<MemoryRecord | undefined> {
    const record = await this.#store.get(id, { asOf });
    return record && this.#sealer.open(record);
  }

  async history(id: string): Promise<MemoryRecord[]> {
    return this.#open(await this.#store.history(id));
  }

  async put(records: readonly IdentifiedRecord[], options: PutOptions): Promise<readonly MemoryRecord[]> {
    const [first] = records as [IdentifiedRecord];
    if (options.unlessSame) return [await this.#putUnlessSame(first)];
    const sealed = await Promise.all(records.map((record) => this.#sealer.seal(record)));
    const [only] = sealed;
    if (only === undefined || sealed.length > 1) {
      return this.#open(await this.#store.putMany(sealed, { ifVersions: versionsOf(records) }));
    }
    const { ifVersion } = first;
    return this.#open([await this.#store.put(only, { ifVersion, signal: options.signal })]);
  }

  delete(id: string, { ifVersion, alone }: RemovalOptions): Promise<boolean> {
    return this.#store.delete(id, { ifVersion, alone });
  }

  clear(descendants: boolean): Promise<number> {
    return this.#store.clear({ descendants });
  }

  /** Reads on until the page is full: the store can't see what a filter compares. */
  async list({ rules, filter, limit, ...list }: RecordList): Promise<Page<MemoryRecord>> {
    const items: MemoryRecord[] = [];
    for (let { cursor } = list; ; ) {
      throwIfAborted(list.signal);
      const page = await this.#store.list({ ...list, cursor, limit: limit - items.length });
      for (const record of await this.#open(page.items)) if (matchesFilter(rules, record)) items.push(record);
      if (page.cursor === undefined) return { items };
      if (items.length === limit) return { items, cursor: page.cursor };
      cursor = page.cursor;
    }
  }

  namespaces(list: NamespaceList): Promise<NamespaceInfo[]> {
    return nextNamespacesOf(this.#store, list);
  }

  search(search: RecordSearch): Promise<MemoryEntry[]> {
    return this.#index.search(this.#namespace, search, false);
  }

  searchTree(search: RecordSearch): Promise<MemoryEntry[]> {
    return this.#index.search(this.#namespace, search, true);
  }

  async hiddenId(id: string): Promise<string> {
    const [current, ...older] = (await this.#sealer.hiddenIds(id)) as [string, ...string[]];
    // A retry after a change of keys must find what was added before.
    for (const olderId of older) if ((await this.#store.get(olderId)) !== undefined) return olderId;
    return current;
  }

  async compact(options: CompactOptions): Promise<void> {
    await this.#store.compact?.(options);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** The store can't compare what it holds, because ciphertext differs each time. */
  async #putUnlessSame(record: IdentifiedRecord): Promise<MemoryRecord> {
    const sealed = await this.#sealer.seal(record);
    for (;;) {
      const storedRecord = await this.get(record.id);
      const ifVersion = storedRecord?.version ?? 0;
      if (storedRecord !== undefined && storedRecord.validUntil === undefined && isSame(storedRecord, record))
        return storedRecord;
      try {
        return await this.#sealer.open(await this.#store.put(sealed, { ifVersion }));
      } catch (error) {
        if (!isMemoryError(error, 'CONFLICT')) throw error;
        // Closed, if nobody has replaced it in the meantime.
        if (((await this.#store.get(record.id))?.version ?? 0) === ifVersion) throw error;
      }
    }
  }

  #open(records: readonly MemoryRecord[]): Promise<MemoryRecord[]> {
    return Promise.all(records.map((record) => this.#sealer.open(record)));
  }
}

function isSame(storedRecord: MemoryRecord, record: IdentifiedRecord): boolean {
  const [one, other] = [storedRecord, record].map(({ metadata }) => canonicalJson(metadata, 'metadata'));
  return storedRecord.content === record.content && one === other;
}
