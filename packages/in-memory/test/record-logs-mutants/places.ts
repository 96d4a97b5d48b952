import { isExpired, type Mutants, startsLike } from './mutant.ts';

export const placesMutants: Mutants = {
  'list returns records in the order of creation, in both directions and in pages of any size': [
    {
      // Forgets records that were replaced.
      log: (real) => ({
        list: async (range) => (await real.list(range)).filter(({ created, change }) => created === change),
      }),
    },
    {
      log: (real) => ({
        list: (range) =>
          real.list({ ...range, after: range.after && range.after + (range.order === 'oldest' ? 1 : -1) }),
      }),
    },
  ],
  'list of many records, of which half were replaced, is in the order of creation': [
    { log: (real) => ({ list: (range) => real.list({ ...range, limit: Math.min(range.limit, 500) }) }) },
  ],
  'list leaves out records that have expired, and fills its pages nevertheless': [
    {
      log: (_, inside) => ({
        async list({ order, after, limit }) {
          const sign = order === 'oldest' ? 1 : -1;
          return [...inside.records.values()]
            .filter(({ created }) => after === undefined || sign * (created - after) > 0)
            .sort((a, b) => sign * (a.created - b.created))
            .slice(0, limit)
            .filter((one) => !isExpired(one));
        },
      }),
    },
  ],
  'clear removes one namespace, and counts the records that had not expired': [
    {
      log: (real, inside) => ({
        async clear() {
          const { size } = inside.records;
          await real.clear();
          return size;
        },
      }),
    },
  ],
  'clearTree removes a namespace and those below it, and counts the records that had not expired': [
    {
      logs: (real) => ({
        async clearTree(namespace) {
          let count = await real.open(namespace).clear();
          for (const one of await real.namespacesBelow([])) {
            if (startsLike(one, namespace)) count += await real.open(one).clear();
          }
          return count;
        },
      }),
    },
    { logs: (real) => ({ clearTree: (namespace) => real.open(namespace).clear() }) },
  ],
  'compact keeps the records that are there, and nothing of those that are not': [
    { log: (_, inside) => ({ compact: async () => inside.indexes.clear() }) },
    { log: (_, inside) => ({ compact: async () => inside.forget() }) },
  ],
  'namespaces are separate, also those that are prefixes of each other': [
    { logs: (real) => ({ open: (namespace) => real.open(namespace.join(':').split(':')) }) },
    { logs: (real) => ({ open: (namespace) => real.open(namespace.map((segment) => segment.toLowerCase())) }) },
  ],
  'namespacesBelow returns the namespaces strictly below one': [
    {
      logs: (real) => ({
        namespacesBelow: async (namespace) =>
          (await real.namespacesBelow([])).filter((one) => startsLike(one, namespace)),
      }),
    },
  ],
};
