import { isWithin, type Namespace, type NamespaceInfo, type RecordStore } from '@keepsake/core';
import { allOf } from './pages.ts';
import { isBorder } from './reserved.ts';

/** The namespaces at or below a place that hold records, from the root of the store on, with their counts. */
export async function* held(store: RecordStore, below: Namespace = []): AsyncGenerator<NamespaceInfo> {
  yield* named(store, below, false);
  // A store doesn't list itself.
  let recordCount = 0;
  for await (const _ of allOf((options) => store.within(below).list(options))) recordCount++;
  if (recordCount > 0) yield { namespace: below, recordCount };
}

/** The namespaces of a store that hold records, or of which storage may still have something. */
export function stored(store: RecordStore): AsyncGenerator<NamespaceInfo> {
  return named(store, [], true);
}

async function* named(store: RecordStore, below: Namespace, empty: boolean): AsyncGenerator<NamespaceInfo> {
  const place = store.within(below);
  for await (const { namespace, recordCount } of allOf((options) => place.namespaces({ ...options, empty }))) {
    yield { namespace: namespace.slice(store.namespace.length), recordCount };
  }
}

/** The namespaces strictly below one that hold its memories of before: no other's lie there, and no outbox. */
export async function children(store: RecordStore, parent: Namespace): Promise<NamespaceInfo[]> {
  const found: NamespaceInfo[] = [];
  for await (const { namespace, recordCount } of allOf((options) => store.within(parent).namespaces(options))) {
    const path = namespace.slice(store.namespace.length);
    if (isChild(path, parent)) found.push({ namespace: path, recordCount });
  }
  return found;
}

function isChild(path: Namespace, parent: Namespace): boolean {
  return path.length > parent.length && isWithin(path, parent) && !path.slice(parent.length).some(isBorder);
}
