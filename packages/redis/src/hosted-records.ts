import { type MemoryRecord, throwIfAborted } from '@keepsake/core';
import type { HostedRecords } from '@keepsake/search';
import { listRecords } from './list-records.ts';
import { listNamespaces, namespacesBelow } from './namespaces.ts';
import type { Records } from './records.ts';
import type { Registry } from './registry.ts';
import { searchRecords } from './search-records.ts';
import type { StoredRecord } from './stored-record.ts';

/** The records of a namespace, as a store sees them. */
export function hostedRecords(records: Records, registry: Registry): HostedRecords {
  return {
    at: (namespace) => hostedRecords(records.at(namespace), registry),
    get: async (id) => recordOf(await records.get(id)),
    async put(inputs, { check, read = false, signal } = {}) {
      const there = async (id: string | undefined) => (read && id !== undefined ? records.get(id) : undefined);
      const assumed = await Promise.all(inputs.map(({ id }) => there(id)));
      const decide = (known: readonly (StoredRecord | undefined)[]) => {
        throwIfAborted(signal);
        return check?.(known.map(recordOf));
      };
      return records.put(inputs, decide, assumed, signal);
    },
    delete: (id, check) => records.delete(id, ({ record }) => check(record)),
    clear: () => records.clear(),
    async clearBelow() {
      let count = 0;
      for await (const namespace of namespacesBelow(registry, records.namespace)) {
        count += await records.at(namespace).clear();
      }
      return count;
    },
    list: (options) => listRecords(records, options),
    namespaces: (options) => listNamespaces(registry, records, options),
    sweep: () => records.sweep(),
    search: (search) => searchRecords(records, search),
  };
}

function recordOf(stored: StoredRecord | undefined): MemoryRecord | undefined {
  return stored?.record;
}
