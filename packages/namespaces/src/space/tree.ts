import type { Namespace, NamespaceInfo, NamespaceListOptions, PageOptions, RecordStore } from '@keepsake/core';
import { isWithin } from '@keepsake/core/adapter';
import { allItems, isBorder } from '@keepsake/internal';
import type { Owners } from './owners.ts';
import { principalBranch } from './principal.ts';

/** A page ends among the namespaces that are passed over, so it should not be long. */
const SMALL_PAGE = 100;

/** The namespaces at or below `below` that contain records, relative to the store, with their counts. */
export async function* held(store: RecordStore, below: Namespace = []): AsyncGenerator<NamespaceInfo> {
  yield* named(store, below, {});
  // `namespaces` of a store does not include its own.
  let recordCount = 0;
  for await (const _ of allItems((options) => store.within(below).list({ ...options, history: true }))) recordCount++;
  if (recordCount > 0) yield { namespace: below, recordCount };
}

/** The namespaces of a store that contain records and have this segment, relative to the store, with their counts. */
export function heldWith(store: RecordStore, segment: string): AsyncGenerator<NamespaceInfo> {
  return named(store, [], { segment });
}

/** Those that have this segment, and those whose storage may still contain deleted data. */
export function storedWith(store: RecordStore, segment: string): AsyncGenerator<NamespaceInfo> {
  return named(store, [], { empty: true, segment });
}

/**
 * The namespaces of a store that belong to nobody and contain records or, with `empty`, may still contain deleted data; the
 * store's own is always the last one. Passes over those of users and services, because there can be many.
 */
export async function sharedNamespaces(store: RecordStore, owners: Owners, empty = false): Promise<Namespace[]> {
  const namespaces: Namespace[] = [];
  let notBelow: Namespace | undefined;
  const list = (page: PageOptions) => store.namespaces({ ...page, empty, notBelow });
  for await (const { namespace } of allItems(list, { limit: SMALL_PAGE })) {
    const path = namespace.slice(store.namespace.length);
    if (owners.of(path) === undefined) namespaces.push(path);
    const branch = principalBranch(path);
    notBelow = branch && [...store.namespace, ...branch];
  }
  return [...namespaces, []];
}

async function* named(
  store: RecordStore,
  below: Namespace,
  which: Pick<NamespaceListOptions, 'empty' | 'segment'>,
): AsyncGenerator<NamespaceInfo> {
  const place = store.within(below);
  for await (const { namespace, recordCount } of allItems((options) => place.namespaces({ ...options, ...which }))) {
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
  return path.length > parent.length && isWithin(path, parent) && !path.slice(parent.length).some(isBorder);
}
