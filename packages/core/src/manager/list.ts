import { quoted } from '@keepsake/internal';
import { expectKnownFields, type FieldNames } from '../common/check-fields.ts';
import { withDeadline } from '../common/deadline.ts';
import { isMemoryError, MemoryError } from '../common/errors.ts';
import { expect } from '../common/expect.ts';
import { copyFilter, parseFilter } from '../store/filter.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { type Page, pageLimit, readCursor, writeCursor } from '../store/page.ts';
import type { ListOptions, MemoryRecord, RecordStore } from '../store/record-store.ts';
import { throwIfAborted } from '../store/store-options.ts';
import { ableStores } from './options/managed-stores.ts';
import type { ListedMemory, MemoryListOptions } from './options/manager-options.ts';
import { errorType } from './search/telemetry.ts';

/** What listing needs from the manager. */
interface ListContext {
  readonly stores: readonly MemoryStore[];
  readonly deadlineMs: number;
  readonly initialize: (store: MemoryStore) => Promise<void>;
}

type ListableStore = MemoryStore & Pick<RecordStore, 'list' | 'capabilities'>;

/** Where the next page begins in a store: at its beginning, at a cursor, or nowhere, because its list is over. */
type Place = { readonly cursor?: string | undefined } | 'over';

// Not spread: bundlers can't leave out an unused table that is.
const LIST: FieldNames<MemoryListOptions> = { limit: true, cursor: true, stores: true, filter: true, signal: true };
const CURSOR = 'memories';
const OVER = 'over';
const AT = '@';

/** See `MemoryManager.list`. */
export async function listStores(context: ListContext, options: MemoryListOptions = {}): Promise<Page<ListedMemory>> {
  const checkedOptions = expectKnownFields(options, LIST);
  const { stores: names, signal } = checkedOptions;
  const limit = pageLimit(checkedOptions);
  const filter = copyFilter(checkedOptions.filter);
  parseFilter(filter);
  const stores = ableStores(context.stores, names, isListable, 'list its records', () => 'UNSUPPORTED');
  const starts = readPlaces(checkedOptions.cursor, stores);
  throwIfAborted(signal);

  const read = (index: number, limit: number) =>
    readPage(context, stores[index] as ListableStore, starts[index] as Place, { limit, filter, signal });
  // First as many as fit from each store, and of those as many as are among the newest. Reading them again gives the cursor
  // after the last of them, which is right even if records were deleted in the meantime.
  const pages = await Promise.all(stores.map((_, index) => read(index, limit)));
  const counts = countsOf(newest(pages, limit), stores.length);
  const taken = await Promise.all(
    pages.map((page, index) => {
      const count = counts[index] as number;
      if (count === page.items.length) return page;
      return count === 0 ? { items: [], next: starts[index] as Place } : read(index, count);
    }),
  );
  const items = newest(
    taken.map(({ items }) => ({ items, next: 'over' as const })),
    limit,
  ).map(({ record, index }) => ({ ...record, storeName: (stores[index] as ListableStore).name }));
  const places = taken.map(({ next }) => next);
  return places.every((place) => place === 'over') ? { items } : { items, cursor: writePlaces(places, stores) };
}

function isListable(store: MemoryStore): store is ListableStore {
  const { list, capabilities } = store as Partial<RecordStore>;
  return typeof list === 'function' && capabilities?.enumerate === true;
}

/** The records of a store from a place on, and the place after them. */
interface StorePage {
  readonly items: readonly MemoryRecord[];
  readonly next: Place;
}

async function readPage(
  { deadlineMs, initialize }: ListContext,
  store: ListableStore,
  start: Place,
  { limit, filter, signal: parent }: Pick<ListOptions, 'limit' | 'filter' | 'signal'>,
): Promise<StorePage> {
  if (start === 'over') return { items: [], next: 'over' };
  try {
    return await withDeadline(deadlineMs, parent, async (signal) => {
      await initialize(store);
      const { cursor } = start;
      const options = {
        limit,
        signal,
        ...(filter !== undefined && { filter }),
        ...(cursor !== undefined && { cursor }),
      };
      const page = await store.list(options);
      return { items: page.items, next: page.cursor === undefined ? 'over' : { cursor: page.cursor } };
    });
  } catch (cause) {
    throwIfAborted(parent);
    // Not left out: what is missing would look like something that is not remembered.
    const code = isMemoryError(cause) ? cause.code : 'BACKEND';
    const what = `Store ${quoted(store.name)} failed to list its records (${errorType(cause)}). See cause.`;
    throw new MemoryError(code, what, { cause });
  }
}

/**
 * Merges pages of several stores, the newest first, without changing the order within a store. Ends where a page ends that
 * is not the last of its store, because its next record may be newer than those of the others.
 */
function newest(
  pages: readonly StorePage[],
  limit: number,
): { readonly record: MemoryRecord; readonly index: number }[] {
  const merged: { record: MemoryRecord; index: number }[] = [];
  const positions = pages.map(() => 0);
  while (merged.length < limit) {
    let best: { record: MemoryRecord; index: number } | undefined;
    for (const [index, { items, next }] of pages.entries()) {
      const record = items[positions[index] as number];
      if (record === undefined && next !== 'over') return merged;
      if (record === undefined || (best && record.createdAt <= best.record.createdAt)) continue;
      best = { record, index };
    }
    if (best === undefined) return merged;
    positions[best.index] = (positions[best.index] as number) + 1;
    merged.push(best);
  }
  return merged;
}

function countsOf(merged: readonly { readonly index: number }[], length: number): number[] {
  const counts = Array.from({ length }, () => 0);
  for (const { index } of merged) counts[index] = (counts[index] as number) + 1;
  return counts;
}

/** A name and a place for each store, so that a cursor of a list of other stores is refused. */
function writePlaces(places: readonly Place[], stores: readonly MemoryStore[]): string {
  const parts = places.flatMap((place, index) => [
    (stores[index] as MemoryStore).name,
    place === 'over' ? OVER : place.cursor === undefined ? '' : AT + place.cursor,
  ]);
  return writeCursor(CURSOR, parts);
}

function readPlaces(cursor: string | undefined, stores: readonly MemoryStore[]): readonly Place[] {
  const parts = readCursor(
    cursor,
    CURSOR,
    stores.flatMap(() => ['string', 'string'] as const),
  ) as readonly string[] | undefined;
  return stores.map(({ name }, index): Place => {
    const [ofStore, place = ''] = parts?.slice(2 * index) ?? [name];
    expect(ofStore === name, 'This cursor is from a list of other stores. Start without a cursor.');
    return place === OVER ? 'over' : place === '' ? {} : { cursor: place.slice(AT.length) };
  });
}
