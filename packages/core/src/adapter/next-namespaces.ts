import { allItems } from '@keepsake/internal';
import { isBelow, type Namespace } from '../store/namespace.ts';
import type { NamespaceInfo, RecordStore } from '../store/record-store.ts';
import type { NamespaceList } from './record-backend.ts';

/**
 * The next namespaces, for backends that know all their names: sorted segment by segment, by code unit. Counts no more
 * namespaces than needed.
 */
export async function nextNamespaces(
  below: readonly Namespace[],
  { limit, after, empty, segment, beyond }: NamespaceList,
  count: (namespace: Namespace) => number | Promise<number>,
): Promise<NamespaceInfo[]> {
  const start = after && sortKey(after);
  const sorted = below
    .filter((namespace) => segment === undefined || namespace.includes(segment))
    .filter((namespace) => beyond === undefined || !isBelow(namespace, beyond))
    .map((namespace) => ({ namespace, key: sortKey(namespace) }))
    .filter(({ key }) => start === undefined || key > start)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const infos: NamespaceInfo[] = [];
  for (const { namespace } of sorted) {
    if (infos.length === limit) break;
    const recordCount = await count(namespace);
    if (recordCount > 0 || empty) infos.push({ namespace, recordCount });
  }
  return infos;
}

/** The next namespaces below a store, for wrappers of stores: cursors of the store itself would not fit. */
export async function nextNamespacesOf(
  store: Pick<RecordStore, 'namespaces'>,
  list: NamespaceList,
): Promise<NamespaceInfo[]> {
  const below = new Map<Namespace, number>();
  const { empty, segment, notBelow } = list;
  const which = { empty, segment, notBelow };
  for await (const { namespace, recordCount } of allItems((page) => store.namespaces({ ...page, ...which }))) {
    below.set(namespace, recordCount);
  }
  return nextNamespaces([...below.keys()], list, (namespace) => below.get(namespace) ?? 0);
}

/** Segments contain no NUL, so it sorts a parent before its children and separates joined segments. */
function sortKey(namespace: Namespace): string {
  return namespace.join('\0');
}
