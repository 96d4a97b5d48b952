import {
  checkRemoval,
  type IdentifiedRecord,
  keptRecord,
  type NamespaceRecords,
  type PutOptions,
  throwIfAborted,
} from '@keepsake/core/adapter';
import { AnalysisAhead } from '@keepsake/search/remote';
import { RedisTree } from './search/redis-tree.ts';
import { searchRecords } from './search/search-records.ts';
import { listRecords } from './stores/list-records.ts';
import { listNamespaces, namespacesBelow } from './stores/namespaces.ts';
import type { Records } from './stores/records.ts';
import type { Registry } from './stores/registry.ts';
import type { StoredRecord } from './stores/stored-record.ts';

/** The records of a namespace, as a store sees them. */
export function namespaceRecords(records: Records, registry: Registry): NamespaceRecords {
  const tree = new RedisTree(records, registry);
  const ahead = new AnalysisAhead(records.language);
  return {
    get: async (id) => (await records.get(id))?.record,
    put: (inputs, options) =>
      ahead.before(() => putRecords(records, inputs, options), { records: inputs, signal: options.signal }),
    delete: (id, options) => ahead.before(() => records.delete(id, ({ record }) => checkRemoval(record, options))),
    async clear(descendants) {
      let count = await ahead.before(() => records.clear());
      if (!descendants) return count;
      for await (const namespace of namespacesBelow(registry, records.namespace)) {
        count += await records.at(namespace).clear();
      }
      return count;
    },
    list: (list) => listRecords(records, list),
    namespaces: (list) => listNamespaces(registry, records, list),
    compact: () => records.compact(),
    search: (search) => searchRecords(records, search),
    searchTree: (search) => tree.search(search),
  };
}

async function putRecords(records: Records, inputs: readonly IdentifiedRecord[], options: PutOptions) {
  const { unlessSame = false, signal } = options;
  // Assumes that there is no such record, which the script checks, unless the condition is about an existing one.
  const assumed = await Promise.all(
    inputs.map(({ id, ifVersion = 0 }) => (unlessSame || ifVersion > 0 ? records.get(id) : undefined)),
  );
  const decide = (known: readonly (StoredRecord | undefined)[]) => {
    throwIfAborted(signal);
    const [kept] = inputs.map((input, n) => keptRecord(input, known[n]?.record, options));
    return kept && [kept];
  };
  return records.put(inputs, decide, assumed, signal);
}
