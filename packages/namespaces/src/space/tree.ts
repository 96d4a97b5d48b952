import type { Namespace, NamespaceInfo, NamespaceListOptions, RecordStore } from '@keepsake/core';
import { isBelow, isWithin } from '@keepsake/core/adapter';
import { allItems, isBorder } from '@keepsake/internal';
import type { Owners } from './owners.ts';
import { principalBranch } from './principal.ts';

/** A page can end among the namespaces that are passed over, so it begins small. */
const SMALL_PAGE = 100;
const LARGE_PAGE = 1_000;

/** The namespaces of a store that contain records, relative to the store, with their counts; the store's own comes last. */
export async function* filledNamespaces(store: RecordStore): AsyncGenerator<NamespaceInfo> {
  yield* relativeNamespaces(store, {});
  // `namespaces` of a store does not include its own.
  let recordCount = 0;
  for await (const _ of allItems((options) => store.list({ ...options, history: true }))) recordCount++;
  if (recordCount > 0) yield { namespace: [], recordCount };
}

/** The namespaces of a store that contain records and have this segment, relative to the store, with their counts. */
export function filledNamespacesWith(store: RecordStore, segment: string): AsyncGenerator<NamespaceInfo> {
  return relativeNamespaces(store, { segment });
}

/** Those that have this segment, and those whose storage may still contain deleted data. */
export function storedNamespacesWith(store: RecordStore, segment: string): AsyncGenerator<NamespaceInfo> {
  return relativeNamespaces(store, { empty: true, segment });
}

/**
 * The namespaces of a store that belong to nobody and contain records or, with `empty`, may still contain deleted data; the
 * store's own is always the last one. Passes over those of users and services, because there can be many.
 */
export async function sharedNamespaces(store: RecordStore, owners: Owners, empty = false): Promise<Namespace[]> {
  const namespaces: Namespace[] = [];
  let notBelow: Namespace | undefined;
  let cursor: string | undefined;
  let limit = SMALL_PAGE;
  do {
    const page = await store.namespaces({ limit, cursor, empty, notBelow });
    const paths = page.items.map(({ namespace }) => namespace.slice(store.namespace.length));
    namespaces.push(...paths.filter((path) => owners.of(path) === undefined));
    const branch = principalBranch(paths.at(-1) ?? []);
    notBelow = branch && [...store.namespace, ...branch];
    // Where a page does not end in a long branch, there is nothing to pass over.
    const isLong = branch !== undefined && paths.every((path) => isWithin(path, branch));
    limit = isLong ? SMALL_PAGE : Math.min(LARGE_PAGE, 2 * limit);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return [...namespaces, []];
}

async function* relativeNamespaces(
  store: RecordStore,
  which: Pick<NamespaceListOptions, 'empty' | 'segment'>,
): AsyncGenerator<NamespaceInfo> {
  for await (const { namespace, recordCount } of allItems((options) => store.namespaces({ ...options, ...which }))) {
    yield { namespace: namespace.slice(store.namespace.length), recordCount };
  }
}

/** The namespaces below `parent` that contain its older memories: none of another principal and no outbox. */
export async function children(store: RecordStore, parent: Namespace): Promise<NamespaceInfo[]> {
  const namespaces: NamespaceInfo[] = [];
  for await (const { namespace, recordCount } of allItems((options) => store.within(parent).namespaces(options))) {
    const path = namespace.slice(store.namespace.length);
    if (isChild(path, parent)) namespaces.push({ namespace: path, recordCount });
  }
  return namespaces;
}

function isChild(path: Namespace, parent: Namespace): boolean {
  return isBelow(path, parent) && !path.slice(parent.length).some(isBorder);
}
