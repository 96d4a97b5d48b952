import type { Namespace } from '../store/namespace.ts';
import type { NamespaceInfo } from '../store/record-store.ts';
import type { NamespaceList } from './record-backend.ts';

/**
 * The next namespaces, for backends that know all their names: sorted segment by segment, by code unit. Counts no more
 * namespaces than needed.
 */
export async function nextNamespaces(
  below: readonly Namespace[],
  { limit, after, empty }: NamespaceList,
  count: (namespace: Namespace) => number | Promise<number>,
): Promise<NamespaceInfo[]> {
  const start = after && sortKey(after);
  const sorted = below
    .map((namespace) => ({ namespace, key: sortKey(namespace) }))
    .filter(({ key }) => start === undefined || key > start)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const found: NamespaceInfo[] = [];
  for (const { namespace } of sorted) {
    if (found.length === limit) break;
    const recordCount = await count(namespace);
    if (recordCount > 0 || empty) found.push({ namespace, recordCount });
  }
  return found;
}

/** Segments contain no NUL, so it sorts a parent before its children and separates joined segments. */
function sortKey(namespace: Namespace): string {
  return namespace.join('\0');
}
