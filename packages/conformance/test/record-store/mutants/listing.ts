import type { MemoryRecord, NamespaceInfo, NamespaceListOptions, Page } from '@keepsake/core';
import { writeCursor } from '@keepsake/core/adapter';
import { referenceStore } from '../reference.ts';
import { common, failure, instead, type Mutant, type Mutants, omit, softDeletes } from './mutant.ts';

/** Sorts a list by a wrong key. */
function sorts(key: (record: MemoryRecord) => string): Mutant {
  return instead('list', (real) => async (options) => {
    const page = await real(options);
    const items = page.items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    return { ...page, items: options?.order === 'oldest' ? items : items.toReversed() };
  });
}

/** Skips the first item of every page except the first. */
function skips<T>(page: Page<T>, cursor: string | undefined): Page<T> {
  return cursor === undefined ? page : { ...page, items: page.items.slice(1) };
}

export const listingMutants: Mutants = {
  'list of an empty store returns an empty page without a cursor': instead('list', (real) => async (options) => {
    return { cursor: writeCursor('newest', ['', 0]), ...(await real(options)) };
  }),
  'list returns records as get does': instead('list', (real) => async (options) => {
    const page = await real(options);
    return { ...page, items: page.items.map((item) => ({ ...item, metadata: {} })) };
  }),
  'list returns the newest or the oldest first': instead('list', (real) => (options) => {
    return real({ order: 'oldest', ...options });
  }),
  'list keeps the order of creation among records of the same millisecond': sorts((r) => r.createdAt + r.id),
  'list keeps the order of creation in the store, whatever createdAt says': sorts((r) => r.createdAt),
  'a replaced record keeps its place in the list': common.moves,
  'a record that is created again after its deletion is the newest': sorts((r) => r.id),
  'list returns records that are excluded from search, too': instead(
    'list',
    (real, _, { records }) =>
      async (options) => {
        const page = await real(options);
        return { ...page, items: page.items.filter(({ id }) => records().get(id)?.record.index) };
      },
  ),
  'list returns at most its limit of records': instead('list', (real) => (options) => {
    return real(omit(options, 'limit'));
  }),
  'a page has 100 records by default': instead('list', (real) => (options) => {
    return real({ limit: 50, ...options });
  }),
  'list with an idPrefix returns the records whose ids begin with it, literally': instead('list', (real) => {
    return async ({ idPrefix = '', ...options } = {}) => {
      const page = await real(options);
      const pattern = new RegExp(`^${idPrefix.replaceAll(/[^*%\w]/g, '\\$&').replaceAll(/[*%]/g, '.*')}`);
      return { ...page, items: page.items.filter(({ id }) => pattern.test(id)) };
    };
  }),
  'pages of a list with an idPrefix are full, and continue after the previous one, in both orders': instead(
    'list',
    (real) =>
      async ({ idPrefix = '', ...options } = {}) => {
        const page = await real(options);
        return { ...page, items: page.items.filter(({ id }) => id.startsWith(idPrefix)) };
      },
  ),
  'a list with an idPrefix and a filter returns records that match both': instead('list', (real) => (options) => {
    return real(options?.idPrefix === undefined ? options : omit(options, 'filter'));
  }),
  'an invalid idPrefix is refused': instead('list', (real) => (options) => {
    return real(options).catch(() => real(omit(options, 'idPrefix')));
  }),
  'a limit that is not a whole number from 1 to 1,000 is refused': instead('list', (real) => (options) => {
    return real(options).catch(() => real());
  }),
};

export const cursorMutants: Mutants = {
  'each page continues after the previous one, in both orders and for every limit': instead(
    'list',
    (real) => async (options) => skips(await real(options), options?.cursor),
  ),
  'the page with the last record has no cursor': instead('list', (real) => async (options) => {
    const page = await real(options);
    return { cursor: writeCursor(options?.order ?? 'newest', ['', -1]), ...page };
  }),
  'a cursor works in another instance, with another limit, and more than once': instead('list', (real) => {
    const made = new Set<string | undefined>([undefined]);
    return async (options) => {
      if (!made.has(options?.cursor)) throw failure('INVALID_ARGUMENT');
      const page = await real(options);
      made.add(page.cursor);
      return page;
    };
  }),
  'records created during paging neither repeat nor hide existing ones': common.offsets,
  'records deleted during paging hide no others': common.offsets,
  'records replaced during paging appear once': common.moves,
  'an invalid cursor is refused': instead('list', (real) => (options) => {
    return real(options).catch(() => real(omit(options, 'cursor')));
  }),
  'a cursor of another kind of list, or of the other order, is refused': instead('list', (real) => (options) => {
    const order = options?.order === 'oldest' ? 'newest' : 'oldest';
    return real(options).catch(() => real({ ...options, order }));
  }),
  'a cursor of another namespace never opens that namespace': instead(
    'list',
    (_, store, { tree }) =>
      async (options) => {
        const [namespace, cursor] = JSON.parse(options?.cursor ?? JSON.stringify([store.namespace]));
        const there = referenceStore(tree, namespace, {});
        const page = await there.list({ ...omit(options, 'cursor'), ...(cursor === undefined ? {} : { cursor }) });
        return page.cursor === undefined ? page : { ...page, cursor: JSON.stringify([namespace, page.cursor]) };
      },
  ),
  'a cursor does not reveal how much other namespaces write': instead(
    'list',
    (real, _, { records }) =>
      async (options) => {
        const page = await real(options);
        const last = records().get(page.items.at(-1)?.id ?? '');
        return page.cursor === undefined ? page : { ...page, cursor: `${page.cursor}#${last?.sequence}` };
      },
  ),
};

const listsEmptyPlaces = instead('namespaces', (_, store, { tree, parts }) => async () => {
  const below = [...tree.places.values()].filter(({ namespace }) => parts.isBelow(namespace, store.namespace));
  return { items: below.map(({ namespace, records }) => ({ namespace, recordCount: records.size })) };
});

/** As a prefix of a joined path would. */
function passesOverPrefixes(isThisPage: (options: NamespaceListOptions) => boolean): Mutant {
  return instead('namespaces', (real) => async (options = {}) => {
    const page = await real(options);
    if (!isThisPage(options)) return page;
    const begins = (segment: string) => options.notBelow?.some((one) => segment !== one && segment.startsWith(one));
    return { ...page, items: page.items.filter(({ namespace }) => !namespace.some(begins)) };
  });
}

export const namespaceListingMutants: Mutants = {
  'namespaces of an empty tree returns an empty page without a cursor': instead(
    'namespaces',
    (real) => async (options) => {
      return { cursor: writeCursor('namespaces', ['']), ...(await real(options)) };
    },
  ),
  'namespaces lists all namespaces with records strictly below, with counts': {
    isBelow: (inner, outer) => outer.every((one, index) => one === inner[index]),
  },
  'namespaces lists only namespaces below its own, not above, beside, or with a common name prefix': common.prefixes,
  'namespaces with notBelow lists all but those strictly below a segment, in order, on pages of any size': instead(
    'namespaces',
    (real) =>
      async (options = {}) => {
        const page = await real(options);
        const ends = ({ namespace }: NamespaceInfo) => options.notBelow?.includes(namespace.at(-1) as string);
        return { ...page, items: page.items.filter((info) => !ends(info)) };
      },
  ),
  'namespaces with notBelow passes over many that are below a segment, and misses none after them': passesOverPrefixes(
    () => true,
  ),
  'a page can begin with another notBelow than the page before': passesOverPrefixes(
    ({ cursor }) => cursor !== undefined,
  ),
  'the cursor of a store above lists nothing beside a namespace': instead(
    'namespaces',
    (real, store, { tree }) =>
      (options) =>
        options?.cursor === undefined
          ? real(options)
          : referenceStore(tree, store.namespace.slice(0, -1), {}).namespaces(options),
  ),
  'the counts follow each change': instead('namespaces', (real, _, { tree, parts }) => async (options) => {
    const page = await real(options);
    const countWrites = ({ namespace }: NamespaceInfo) =>
      [...(tree.places.get(parts.place(namespace))?.records.values() ?? [])].reduce((n, r) => n + r.record.version, 0);
    return { ...page, items: page.items.map((info) => ({ ...info, recordCount: countWrites(info) })) };
  }),
  'a namespace without records is no longer listed': softDeletes('count'),
  'reading a namespace does not create it': listsEmptyPlaces,
  'pages of namespaces neither repeat nor skip one, for every limit': instead(
    'namespaces',
    (real) => async (options) => skips(await real(options), options?.cursor),
  ),
  'namespaces created and removed during paging neither repeat nor hide the others': instead(
    'namespaces',
    (real) => async (options) => {
      const { items } = await real({ limit: 1_000 });
      const start = Number(options?.cursor ?? 0);
      const end = start + (options?.limit ?? 100);
      return { items: items.slice(start, end), ...(end < items.length ? { cursor: String(end) } : {}) };
    },
  ),
  'paths come back unchanged from namespaces, whatever they contain': instead('namespaces', (real) => async (o) => {
    const page = await real(o);
    return { ...page, items: page.items.map((i) => ({ ...i, namespace: i.namespace.map((s) => s.toLowerCase()) })) };
  }),
};
