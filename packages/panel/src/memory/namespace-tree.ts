import { formatNamespace, type Namespace, parseNamespace } from '@keepsake/core';
import { allItems } from '@keepsake/internal';
import type { MemorySpace } from '@keepsake/namespaces';
import { Fresh } from '../fresh.ts';
import { invalid } from '../http/fields.ts';
import type { NamespaceLevel, NamespaceNode } from '../protocol.ts';
import { isConversations, type MemoryPlaces } from './memory-places.ts';

/** A list has at most this many: more would take the memory of the process. */
const MAX_NAMESPACES = 100_000;

/** The store can't count its own namespace without reading it, so this is where counting ends. */
const MAX_COUNTED = 1_000;

/** A namespace with the ones below it. */
interface Branch {
  recordCount: number;
  below: number;
  readonly children: Map<string, Branch>;
}

/** A namespace with records. */
interface Counted {
  readonly namespace: Namespace;
  readonly recordCount: number;
}

/** The namespaces below the root, with counts. */
export class NamespaceTree {
  readonly #places: MemoryPlaces;
  readonly #space: () => Promise<MemorySpace>;
  readonly #root = new Fresh(() => this.#load());

  constructor(places: MemoryPlaces, space: () => Promise<MemorySpace>) {
    this.#places = places;
    this.#space = space;
  }

  /** Lists again at the next use, after a change. */
  forget(): void {
    this.#root.forget();
  }

  async level(
    parentName: string,
    page: { readonly cursor?: string | undefined; readonly limit: number },
  ): Promise<NamespaceLevel> {
    const root = await this.#root.get();
    const parent = parseNamespace(parentName);
    const branch = parent.reduce<Branch | undefined>((at, segment) => at?.children.get(segment), root) ?? emptyBranch();
    const after = page.cursor === undefined ? undefined : readCursor(page.cursor);
    const names = [...branch.children.keys()].filter((name) => after === undefined || name > after).sort(byCodeUnit);
    const shown = names.slice(0, page.limit);
    const nodes = shown.map((name) => this.#node([...parent, name], branch.children.get(name) ?? emptyBranch()));
    const last = shown.at(-1);
    return {
      parent: { ...(await this.#node(parent, branch)), ...(parent.length === 0 && (await this.countRoot())) },
      items: await Promise.all(nodes),
      ...(last !== undefined && names.length > shown.length && { cursor: JSON.stringify(last) }),
    };
  }

  /** All namespaces with records but the root, parents first. */
  async all(): Promise<Counted[]> {
    return [...counted(await this.#root.get(), [])];
  }

  /** Of the root, which the list of namespaces does not have. Stops at a number that is quick to count. */
  async countRoot(): Promise<{ readonly recordCount: number; readonly more?: boolean }> {
    const store = await this.#places.root();
    if (!store.capabilities.enumerate) return { recordCount: 0, more: true };
    const { items, cursor } = await store.list({
      limit: MAX_COUNTED,
      ...(store.capabilities.history && { history: true }),
    });
    return { recordCount: items.length, ...(cursor !== undefined && { more: true }) };
  }

  async #node(namespace: Namespace, { recordCount, below, children }: Branch): Promise<NamespaceNode> {
    const node = {
      namespace,
      name: formatNamespace(namespace),
      label: namespace.at(-1) ?? '',
      recordCount,
      below,
      childCount: children.size,
    };
    if (recordCount === 0) return node;
    const { kind, principal } = (await this.#space()).describe(namespace);
    return {
      ...node,
      kind: isConversations(namespace) ? 'conversations' : kind,
      ...(principal !== undefined && { principal }),
    };
  }

  async #load(): Promise<Branch> {
    const root = emptyBranch();
    let namespaces = 0;
    const store = await this.#places.root();
    if (store.capabilities.enumerate) {
      for await (const { namespace, recordCount } of allItems((page) => store.namespaces(page))) {
        if (namespaces === MAX_NAMESPACES) break;
        add(root, namespace.slice(store.namespace.length), recordCount);
        namespaces++;
      }
    }
    return root;
  }
}

function add(root: Branch, namespace: Namespace, recordCount: number): void {
  let at = root;
  for (const segment of namespace) {
    at.below += recordCount;
    const next = at.children.get(segment) ?? emptyBranch();
    at.children.set(segment, next);
    at = next;
  }
  at.recordCount = recordCount;
}

function* counted(branch: Branch, namespace: Namespace): Generator<Counted> {
  if (branch.recordCount > 0) yield { namespace, recordCount: branch.recordCount };
  for (const [segment, child] of branch.children) yield* counted(child, [...namespace, segment]);
}

function emptyBranch(): Branch {
  return { recordCount: 0, below: 0, children: new Map() };
}

function byCodeUnit(one: string, other: string): number {
  return one < other ? -1 : 1;
}

function readCursor(cursor: string): string {
  try {
    const name: unknown = JSON.parse(cursor);
    if (typeof name === 'string') return name;
  } catch {
    // Refused below.
  }
  throw invalid('This cursor is not from a list of namespaces. Start without a cursor.');
}
