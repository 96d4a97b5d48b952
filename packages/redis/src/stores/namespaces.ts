import type { Namespace, NamespaceInfo } from '@keepsake/core';
import type { NamespaceList } from '@keepsake/core/adapter';
import { namespacePath, readNamespacePath } from '../client/keys.ts';
import type { Records } from './records.ts';
import type { Registry } from './registry.ts';

/** How many namespaces are read at a time. */
const STEP = 200;

/** The namespaces strictly below one that may hold records. */
export async function* namespacesBelow(
  registry: Registry,
  namespace: Namespace,
  after?: Namespace,
): AsyncGenerator<Namespace> {
  for (let from = after && namespacePath(after); ; ) {
    const paths = await registry.below(namespace, from, STEP);
    for (const path of paths) yield readNamespacePath(path);
    if (paths.length < STEP) return;
    from = paths.at(-1);
  }
}

/** The next namespaces below that hold records, in the order of their paths. Unregisters those that hold none. */
export async function listNamespaces(
  registry: Registry,
  records: Records,
  { limit, after, empty }: NamespaceList,
): Promise<NamespaceInfo[]> {
  const found: NamespaceInfo[] = [];
  for await (const namespace of namespacesBelow(registry, records.namespace, after)) {
    const below = records.at(namespace);
    const recordCount = await below.count();
    // Listing also works for users who may not write, and on a replica.
    if (recordCount === 0 && !empty) await below.forgetIfEmpty().catch(() => undefined);
    else found.push({ namespace, recordCount });
    if (found.length === limit) break;
  }
  return found;
}
