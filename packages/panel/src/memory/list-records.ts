import type { ListOptions, MemoryRecord, Page, RecordStore } from '@keepsake/core';
import { flag, invalid, oneOfElse, readQuery, text, whole } from '../http/fields.ts';
import type { PanelParts } from '../panel-parts.ts';
import { LIMITS, type RecordRow, type RecordsPage } from '../protocol.ts';
import { isInternal, type MemoryPlaces } from './memory-places.ts';
import { entryRow, recordRow } from './record-row.ts';
import { filterOf, type GivenSelection, SELECTION } from './selection.ts';

const RECORDS = {
  ...SELECTION,
  order: oneOfElse('newest', 'oldest'),
  closed: flag,
  asOf: text(64),
  cursor: text(16_384),
  limit: whole(1, LIMITS.pageSize, LIMITS.defaultPageSize),
} as const;

/** The pages of other records that are skipped for one page of memories. The page can have fewer, and a cursor, then. */
const MAX_SKIPPED_PAGES = 5;

/** A page of records of a namespace, or what a search finds there. */
export async function listRecords({ places }: PanelParts, query: URLSearchParams): Promise<RecordsPage> {
  const fields = readQuery(query, RECORDS);
  const startedAt = performance.now();
  const page = fields.search === undefined ? await listed(places, fields) : await foundPage(places, fields);
  return { ...page, tookMs: performance.now() - startedAt };
}

async function foundPage(places: MemoryPlaces, fields: GivenList): Promise<Page<RecordRow>> {
  const { closed, asOf, cursor, limit } = fields;
  if (closed || asOf !== undefined) throw invalid('A search finds only what holds now: leave out closed and asOf.');
  if (cursor !== undefined) throw invalid('A search has one page. Leave out the cursor.');
  return { items: await searchRecords(places, fields, limit) };
}

type GivenList = { readonly [Name in keyof typeof RECORDS]: ReturnType<(typeof RECORDS)[Name]> };

/** What a search finds, best first. */
async function searchRecords(places: MemoryPlaces, selection: GivenSelection, limit: number): Promise<RecordRow[]> {
  const { namespace = '', search = '', descendants } = selection;
  const store = await places.at(namespace);
  const filter = filterOf(selection);
  const entries = await store.search(search, {
    maxSearchResults: limit,
    ...(filter !== undefined && { filter }),
    ...(descendants && { descendants }),
  });
  return Promise.all(entries.map(async (entry) => entryRow(entry, await places.nameOf(entry.namespace, namespace))));
}

async function listed(places: MemoryPlaces, fields: GivenList): Promise<Page<RecordRow>> {
  const { namespace = '', order, closed, asOf, cursor, limit } = fields;
  if (closed && asOf !== undefined) throw invalid('Pass closed or asOf, not both.');
  const store = await places.at(namespace);
  const root = await places.root();
  const options = { order, ...(closed && { history: true }), ...(asOf !== undefined && { asOf }) };
  const { items, ...rest } = await memoriesOnly(root, store, fields, { ...options, limit, cursor });
  const rows = items.map(async (record) => recordRow(record, await places.nameOf(record.namespace, namespace)));
  return { items: await Promise.all(rows), ...rest };
}

/** A page without what programs keep for themselves, unless that is what was asked for. */
async function memoriesOnly(
  root: RecordStore,
  store: RecordStore,
  selection: GivenSelection,
  options: ListOptions & { readonly limit: number },
): Promise<Page<MemoryRecord>> {
  const filter = filterOf(selection);
  const depth = root.namespace.length;
  const own = isInternal(store.namespace.slice(depth));
  const items: MemoryRecord[] = [];
  let { cursor } = options;
  for (let pages = 0; pages < MAX_SKIPPED_PAGES; pages++) {
    const page = await store.list({
      ...options,
      limit: options.limit - items.length,
      cursor,
      ...(filter !== undefined && { filter }),
      ...(selection.descendants && { descendants: true }),
    });
    items.push(...page.items.filter((record) => own || !isInternal(record.namespace?.slice(depth) ?? [])));
    cursor = page.cursor;
    if (cursor === undefined || items.length >= options.limit) break;
  }
  return { items, ...(cursor !== undefined && { cursor }) };
}

/** The records of a selection, page by page. Searches find one page. */
export async function* selectedRecords(places: MemoryPlaces, selection: GivenSelection): AsyncGenerator<RecordRow> {
  if (selection.search !== undefined) {
    yield* await searchRecords(places, selection, LIMITS.pageSize);
    return;
  }
  let cursor: string | undefined;
  do {
    const options = { order: 'newest', closed: false, asOf: undefined, cursor, limit: LIMITS.pageSize } as const;
    const page = await listed(places, { ...selection, ...options });
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
