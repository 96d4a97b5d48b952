import type { Namespace } from './namespace.ts';
import { type Page, type PageOptions, pageLimit, readCursor, writeCursor } from './page.ts';
import type { NamespaceInfo } from './record-store.ts';

/** A page of namespaces, for adapters that know them all. Their order is stable: segment by segment, by code unit. */
export function namespacePage(all: readonly NamespaceInfo[], options: PageOptions | undefined): Page<NamespaceInfo> {
  const limit = pageLimit(options);
  const [after] = readCursor(options?.cursor, 'namespaces', ['string']) ?? [];
  const sorted = all
    .map((info) => ({ info, key: sortKey(info.namespace) }))
    .filter(({ key }) => after === undefined || key > String(after))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const page = sorted.slice(0, limit);
  const items = page.map(({ info }) => info);
  const last = page.at(-1);
  return sorted.length <= limit || last === undefined
    ? { items }
    : { items, cursor: writeCursor('namespaces', [last.key]) };
}

/** Segments hold no NUL, so it orders a parent before its children and keeps joined segments apart. */
function sortKey(namespace: Namespace): string {
  return namespace.join('\0');
}
