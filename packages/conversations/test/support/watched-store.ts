import type { ListOptions, MemoryRecord, RecordInput, RecordStore } from '@keepsake/core';

/** Counts the calls between conversations and a store. */
export interface Traffic {
  recordsRead: number;
  /** The size of all records that were put, as JSON. */
  bytesWritten: number;
  writes: number;
  /** Called with the name of the method before each call. Can throw. */
  before: (method: string) => void;
}

export function newTraffic(): Traffic {
  return { recordsRead: 0, bytesWritten: 0, writes: 0, before: () => {} };
}

/** A store whose calls are counted, including those of all stores below it. */
export function watchedStore(store: RecordStore, traffic: Traffic): RecordStore {
  const own: Partial<RecordStore> = {
    within: (...args) => watchedStore(store.within(...args), traffic),
    async get(id) {
      traffic.before('get');
      const record = await store.get(id);
      if (record !== undefined) traffic.recordsRead++;
      return record;
    },
    async list(options?: ListOptions) {
      traffic.before('list');
      const page = await store.list(options);
      traffic.recordsRead += page.items.length;
      return page;
    },
    async put(record: RecordInput, options): Promise<MemoryRecord> {
      traffic.before('put');
      traffic.writes++;
      traffic.bytesWritten += Buffer.byteLength(JSON.stringify(record));
      return store.put(record, options);
    },
    async delete(...given) {
      traffic.before('delete');
      return store.delete(...given);
    },
    async clear(...given) {
      traffic.before('clear');
      return store.clear(...given);
    },
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
