import { formatNamespace, type MemoryRecord, type Namespace, type PageOptions, type RecordStore } from '@keepsake/core';
import { allItems, allPages } from '@keepsake/internal';
import { readAhead } from './read-ahead.ts';

const PAGE = 500;

/** A namespace in two stores. */
export interface RecordPlace {
  readonly from: RecordStore;
  readonly to: RecordStore;
  /** Its name below the configured stores, `''` for the root. */
  readonly name: string;
}

/** Calls `use` with the namespace of a store and each one below it, and with the same namespace of another store. */
export async function forEachPlace(
  from: RecordStore,
  to: RecordStore,
  use: (place: RecordPlace) => Promise<void>,
): Promise<void> {
  await use({ from, to, name: '' });
  for await (const { namespace } of allItems((options) => from.namespaces(options))) {
    await useBelow(from, to, namespace.slice(from.namespace.length), use);
  }
}

/** Closes the stores of the namespace afterwards, because there can be many. */
async function useBelow(
  from: RecordStore,
  to: RecordStore,
  below: Namespace,
  use: (place: RecordPlace) => Promise<void>,
): Promise<void> {
  const place = { from: from.within(below), to: to.within(below), name: formatNamespace(below) };
  try {
    await use(place);
  } finally {
    await Promise.all([place.from.close(), place.to.close()]);
  }
}

/** All records of a store, closed ones too, oldest first. Reads a page ahead. */
export async function* allRecords(store: RecordStore): AsyncGenerator<MemoryRecord> {
  const { history } = store.capabilities;
  const list = (options: PageOptions) => store.list({ ...options, order: 'oldest', history });
  for await (const page of readAhead(allPages(list, { limit: PAGE }))) yield* page;
}
