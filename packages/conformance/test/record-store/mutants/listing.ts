import { type MemoryRecord, type NamespaceInfo, type Page, writeCursor } from '@keepsake/core';
import { referenceStore } from '../reference.ts';
import { buriesAlive, common, failure, instead, type Mutant, type Mutants, omit } from './mutant.ts';

/** Lists in an order of its own making. */
function sorts(key: (record: MemoryRecord) => string): Mutant {
  return instead('list', (real) => async (options) => {
    const page = await real(options);
    const items = page.items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    return { ...page, items: options?.order === 'oldest' ? items : items.toReversed() };
  });
}

/** Passes over the first item of each page but the first. */
function skips<T>(page: Page<T>, cursor: string | undefined): Page<T> {
  return cursor === undefined ? page : { ...page, items: page.items.slice(1) };
}

export const listingMutants: Mutants = {
  'list of an empty store is an empty page without cursor': instead('list', (real) => async (options) => {
    return { cursor: writeCursor('newest', [0]), ...(await real(options)) };
  }),
  'list gives the records as get does': instead('list', (real) => async (options) => {
    const page = await real(options);
    return { ...page, items: page.items.map((item) => ({ ...item, metadata: {} })) };
  }),
  'list gives the newest first, or the oldest': instead('list', (real) => (options) => {
    return real({ order: 'oldest', ...options });
  }),
  'list keeps the order of creation among records of the same millisecond': sorts((r) => r.createdAt + r.id),
  'list keeps the order of creation in the store, whatever createdAt says': sorts((r) => r.createdAt),
  'a replaced record keeps its place in the list': common.moves,
  'a record that is made again after its deletion is the newest': sorts((r) => r.id),
  'list also gives records that are kept out of search': instead('list', (real, _, { records }) => async (options) => {
    const page = await real(options);
    return { ...page, items: page.items.filter(({ id }) => records().get(id)?.index) };
  }),
  'list gives at most as many records as its limit says': instead('list', (real) => (options) => {
    return real(omit(options, 'limit'));
  }),
  'a page holds 100 records where the caller does not say': instead('list', (real) => (options) => {
    return real({ limit: 50, ...options });
  }),
  'a limit that is no whole number from 1 to 1,000 is refused': instead('list', (real) => (options) => {
    return real(options).catch(() => real());
  }),
};

export const cursorMutants: Mutants = {
  'pages go on where the one before ended, in both orders and for every limit': instead(
    'list',
    (real) => async (options) => skips(await real(options), options?.cursor),
  ),
  'the page with the last record has no cursor': instead('list', (real) => async (options) => {
    const page = await real(options);
    return { cursor: writeCursor(options?.order ?? 'newest', [-1]), ...page };
  }),
  'a cursor goes on in another instance, with another limit, and more than once': instead('list', (real) => {
    const made = new Set<string | undefined>([undefined]);
    return async (options) => {
      if (!made.has(options?.cursor)) throw failure('INVALID_ARGUMENT');
      const page = await real(options);
      made.add(page.cursor);
      return page;
    };
  }),
  'records that come while one pages neither repeat nor hide those that were there': common.offsets,
  'records that go while one pages take none of the others with them': common.offsets,
  'records that are replaced while one pages come once': common.moves,
  'a cursor that no list made is refused': instead('list', (real) => (options) => {
    return real(options).catch(() => real(omit(options, 'cursor')));
  }),
  'a cursor of another kind of list, or of the other order, is refused': instead('list', (real) => (options) => {
    const order = options?.order === 'oldest' ? 'newest' : 'oldest';
    return real(options).catch(() => real({ ...options, order }));
  }),
  'a cursor of another place never opens that place': instead('list', (_, store, { tree }) => async (options) => {
    const [namespace, cursor] = JSON.parse(options?.cursor ?? JSON.stringify([store.namespace]));
    const there = referenceStore(tree, namespace, {});
    const page = await there.list({ ...omit(options, 'cursor'), ...(cursor === undefined ? {} : { cursor }) });
    return page.cursor === undefined ? page : { ...page, cursor: JSON.stringify([namespace, page.cursor]) };
  }),
};

const listsEmptyPlaces = instead('namespaces', (_, store, { tree, parts }) => async () => {
  const below = [...tree.places.values()].filter(({ namespace }) => parts.isBelow(namespace, store.namespace));
  return { items: below.map(({ namespace, records }) => ({ namespace, recordCount: records.size })) };
});

export const namespaceListingMutants: Mutants = {
  'namespaces of an empty tree is an empty page without cursor': instead('namespaces', (real) => async (options) => {
    return { cursor: writeCursor('namespaces', ['']), ...(await real(options)) };
  }),
  'namespaces lists all that hold records strictly below, with their counts': {
    isBelow: (inner, outer) => outer.every((one, index) => one === inner[index]),
  },
  'namespaces lists what is below its own place, not above, beside, or where names begin alike': common.prefixes,
  'the counts follow each change': instead('namespaces', (real, _, { tree, parts }) => async (options) => {
    const page = await real(options);
    const countWrites = ({ namespace }: NamespaceInfo) =>
      [...(tree.places.get(parts.place(namespace))?.records.values() ?? [])].reduce((n, r) => n + r.record.version, 0);
    return { ...page, items: page.items.map((info) => ({ ...info, recordCount: countWrites(info) })) };
  }),
  'a place that holds no more records is no longer listed': buriesAlive('count'),
  'reading a place does not make it': listsEmptyPlaces,
  'pages of namespaces neither repeat nor skip one, for every limit': instead(
    'namespaces',
    (real) => async (options) => skips(await real(options), options?.cursor),
  ),
  'places that come and go while one pages neither repeat nor hide the others': instead(
    'namespaces',
    (real) => async (options) => {
      const { items } = await real({ limit: 1_000 });
      const start = Number(options?.cursor ?? 0);
      const end = start + (options?.limit ?? 100);
      return { items: items.slice(start, end), ...(end < items.length ? { cursor: String(end) } : {}) };
    },
  ),
  'paths come back from namespaces as they were, whatever is in them': instead('namespaces', (real) => async (o) => {
    const page = await real(o);
    return { ...page, items: page.items.map((i) => ({ ...i, namespace: i.namespace.map((s) => s.toLowerCase()) })) };
  }),
};
