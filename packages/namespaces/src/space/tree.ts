import type { Namespace, NamespaceInfo, NamespaceListOptions, RecordStore } from '@keepsake/core';
import { isWithin } from '@keepsake/core/adapter';
import { allItems, isBorder } from '@keepsake/internal';

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

/** The namespaces of a store that contain records, or whose storage may still contain deleted data. */
export function stored(store: RecordStore): AsyncGenerator<NamespaceInfo> {
  return named(store, [], { empty: true });
}

/** Those of {@link stored} that have this segment. */
export function storedWith(store: RecordStore, segment: string): AsyncGenerator<NamespaceInfo> {
  return named(store, [], { empty: true, segment });
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
