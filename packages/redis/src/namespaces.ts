import {
  type Namespace,
  type NamespaceInfo,
  type NamespaceListOptions,
  type Page,
  pageLimit,
  readCursor,
  writeCursor,
} from '@keepsake/core';
import { namespacePath, readNamespacePath } from './keys.ts';
import type { Records } from './records.ts';
import type { Registry } from './registry.ts';

/** So many namespaces are asked for at a time. */
const STEP = 200;

/** The namespaces strictly below one that may hold records. */
export async function* namespacesBelow(
  registry: Registry,
  namespace: Namespace,
  after?: string,
): AsyncGenerator<Namespace> {
  for (let from = after; ; ) {
    const paths = await registry.below(namespace, from, STEP);
    for (const path of paths) yield readNamespacePath(path);
    if (paths.length < STEP) return;
    from = paths.at(-1);
  }
}

/** A page of those that do, in the order of their paths. What the registry knows and holds nothing, it forgets. */
export async function listNamespaces(
  registry: Registry,
  records: Records,
  options: NamespaceListOptions | undefined,
): Promise<Page<NamespaceInfo>> {
  const limit = pageLimit(options);
  const [after] = readCursor(options?.cursor, 'namespaces', ['string']) ?? [];
  const items: NamespaceInfo[] = [];
  for await (const namespace of namespacesBelow(registry, records.namespace, after as string | undefined)) {
    const there = records.at(namespace);
    const recordCount = await there.count();
    // Whoever may not write, or reads from a replica, can list as well.
    if (recordCount === 0 && options?.empty !== true) await there.forgetIfEmpty().catch(() => undefined);
    else items.push({ namespace, recordCount });
    if (items.length > limit) break;
  }
  const page = items.slice(0, limit);
  const last = page.at(-1);
  if (items.length <= limit || last === undefined) return { items: page };
  return { items: page, cursor: writeCursor('namespaces', [namespacePath(last.namespace)]) };
}
