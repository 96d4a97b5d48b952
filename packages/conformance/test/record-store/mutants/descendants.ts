import type { MemoryEntry, MemoryRecord } from '@keepsake/core';
import { referenceStore } from '../reference.ts';
import { common, instead, type Mutant, type Mutants, omit } from './mutant.ts';

/** Changes the records of a list with `descendants`. */
function listsBelow(change: (items: readonly MemoryRecord[]) => MemoryRecord[]): Mutant {
  return instead('list', (real) => async (options) => {
    const page = await real(options);
    return options?.descendants ? { ...page, items: change(page.items) } : page;
  });
}

/** Changes the entries of a search with `descendants`. */
function searchesBelow(change: (entries: MemoryEntry[]) => MemoryEntry[]): Mutant {
  return instead('search', (real) => async (query, options) => {
    const entries = await real(query, options);
    return options?.descendants ? change(entries) : entries;
  });
}

const unnamed = <T extends object>(items: readonly T[]): T[] => items.map((item) => omit(item, 'namespace' as keyof T));

/** Uses offsets as cursors. */
const countsRecords: Mutant = instead('list', (real) => async (options = {}) => {
  if (!options.descendants) return real(options);
  const { limit = 100, cursor } = options;
  const { items } = await real({ ...omit(options, 'cursor'), limit: 1_000 });
  const start = Number(cursor ?? 0);
  const page = items.slice(start, start + limit);
  return start + limit < items.length ? { items: page, cursor: String(start + limit) } : { items: page };
});

export const descendantMutants: Mutants = {
  'list with descendants returns the records here and below, and nothing above or beside': common.prefixes,
  'list with descendants names the whole namespace of each record, and other lists name none': listsBelow(unnamed),
  'list with descendants lists its own namespace first, then those below as namespaces does, each in order': listsBelow(
    (items) => items.toReversed(),
  ),
  'pages of a list with descendants are full and continue after the previous one, for every limit': instead(
    'list',
    (real) => async (options) => {
      const page = await real(options);
      const last = page.items.at(-1)?.namespace?.join();
      // Ends a page where the next namespace begins.
      return { ...page, items: page.items.filter(({ namespace }) => namespace?.join() === last) };
    },
  ),
  'namespaces created or cleared during a list with descendants neither repeat nor hide records of others':
    countsRecords,
  'a list with descendants takes an idPrefix and a filter': instead('list', (real) => (options) => {
    return real(options?.descendants ? omit(options, 'filter') : options);
  }),
  'a cursor of a list with descendants opens no other namespace': instead(
    'list',
    (_, store, { tree }) =>
      async (options) => {
        const [namespace, cursor] = JSON.parse(options?.cursor ?? JSON.stringify([store.namespace]));
        const there = referenceStore(tree, namespace, {});
        const page = await there.list({ ...omit(options, 'cursor'), ...(cursor === undefined ? {} : { cursor }) });
        return page.cursor === undefined ? page : { ...page, cursor: JSON.stringify([namespace, page.cursor]) };
      },
  ),
  'search with descendants finds records here and below, and nothing above or beside': common.prefixes,
  'search with descendants names the whole namespace of each entry, and other searches name none':
    searchesBelow(unnamed),
  'search with descendants ranks entries of all namespaces together, best first': searchesBelow((entries) =>
    entries.toSorted((a, b) => ((a.namespace ?? []) < (b.namespace ?? []) ? -1 : 1)),
  ),
  'search with descendants takes a filter, a limit and a minimal score': instead(
    'search',
    (real) => (query, options) => {
      return real(query, options?.descendants ? omit(options, 'filter') : options);
    },
  ),
  'search with descendants follows changes below: hidden, deleted, cleared': instead('search', (real, store) => {
    const kept = new Map<string, MemoryEntry[]>();
    return async (query, options) => {
      if (!options?.descendants) return real(query, options);
      const key = JSON.stringify(store.namespace);
      const entries = kept.get(key) ?? (await real(query, options));
      kept.set(key, entries);
      return entries;
    };
  }),
  'descendants must be true or false': instead('list', (real) => (options) => {
    return real({ ...options, descendants: Boolean(options?.descendants) });
  }),
};
