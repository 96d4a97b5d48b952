import type { Namespace, NamespaceInfo, NamespaceListOptions, RecordStore } from '@keepsake/core';
import { isBelow } from '@keepsake/core/adapter';
import { allItems, isBorder } from '@keepsake/internal';
import type { Owners } from './owners.ts';
import { PRINCIPAL_TAGS } from './principal.ts';

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
  for await (const { namespace } of relativeNamespaces(store, { empty, notBelow: PRINCIPAL_TAGS })) {
    if (owners.of(namespace) === undefined) namespaces.push(namespace);
  }
  return [...namespaces, []];
}

async function* relativeNamespaces(
  store: RecordStore,
  which: Pick<NamespaceListOptions, 'empty' | 'segment' | 'notBelow'>,
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
