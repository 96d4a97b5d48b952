import { expect } from '../common/expect.ts';
import type { MemoryEntry } from '../store/memory-store.ts';
import { formatNamespace, isBelow, isWithin, type Namespace, parseNamespace } from '../store/namespace.ts';
import { type Page, readCursor, writeCursor } from '../store/page.ts';
import type { MemoryRecord, NamespaceInfo } from '../store/record-store.ts';
import { throwIfAborted } from '../store/store-options.ts';
import type { NamespaceList, NamespaceRecords, RecordList, RecordSearch } from './record-backend.ts';

/** How many namespaces are read at a time. */
const STEP = 100;
/** Up to how many namespaces are read at a time if the first ones were not those that are listed. */
const MAX_STEP = 1_000;
/** How many namespaces are searched at a time. */
const PARALLEL = 8;

/** Which page of namespaces to list. */
interface NamespacePage extends NamespaceList {
  readonly cursor?: string | undefined;
}

/** The records of a namespace and of all namespaces below it. */
export class RecordTree {
  readonly #namespace: Namespace;
  readonly #records: NamespaceRecords;
  readonly #open: (namespace: Namespace) => NamespaceRecords;

  constructor(namespace: Namespace, records: NamespaceRecords, open: (namespace: Namespace) => NamespaceRecords) {
    this.#namespace = namespace;
    this.#records = records;
    this.#open = open;
  }

  /** A page of the namespaces strictly below. */
  async namespaces({ cursor, ...list }: NamespacePage): Promise<Page<NamespaceInfo>> {
    const kind = 'namespaces';
    const [path] = readCursor(cursor, kind, ['string']) ?? [];
    const last = path === undefined ? this.#namespace : this.#within(path as string);
    // In the order of a backend, others can come between a namespace and those below it.
    const after = isBelow(last, this.#namespace) ? last : undefined;
    const infos = await this.#next({ ...list, after, limit: list.limit + 1 });
    const items = infos.slice(0, list.limit);
    const end = items.at(-1);
    if (infos.length <= list.limit || end === undefined) return { items };
    return { items, cursor: writeCursor(kind, [formatNamespace(end.namespace)]) };
  }

  /** A page of the records here, then of those in each namespace below. */
  async list({ cursor, ...list }: RecordList): Promise<Page<MemoryRecord>> {
    const kind = `records below, ${list.order}`;
    const [path, within] = (readCursor(cursor, kind, ['string', 'string']) ?? ['', '']) as [string, string];
    const start = cursor === undefined ? this.#namespace : this.#within(path);
    const items: MemoryRecord[] = [];
    let from = within || undefined;
    for await (const namespace of this.#from(start)) {
      throwIfAborted(list.signal);
      // At a full page, one more record tells whether there is a next page.
      const left = list.limit - items.length || 1;
      const page = await this.#at(namespace).list({ ...list, cursor: from, limit: left });
      const next = (at: string) => ({ items, cursor: writeCursor(kind, [formatNamespace(namespace), at]) });
      if (items.length === list.limit && page.items.length > 0) return next('');
      items.push(...page.items.map((record) => ({ ...record, namespace })));
      if (page.cursor !== undefined) return next(page.cursor);
      from = undefined;
    }
    return { items };
  }

  async search(search: RecordSearch): Promise<readonly MemoryEntry[]> {
    if (this.#records.searchTree !== undefined) return this.#records.searchTree(search);
    const foundEntries: MemoryEntry[] = [];
    let batch: Namespace[] = [];
    const searchBatch = async () => {
      throwIfAborted(search.signal);
      const entries = batch.map(async (namespace) => {
        const entries = await this.#at(namespace).search(search);
        return entries.map((entry) => ({ ...entry, namespace }));
      });
      foundEntries.push(...(await Promise.all(entries)).flat());
      batch = [];
    };
    for await (const namespace of this.#from(this.#namespace)) {
      batch.push(namespace);
      if (batch.length === PARALLEL) await searchBatch();
    }
    await searchBatch();
    return foundEntries.sort(byScore).slice(0, search.limit);
  }

  /** The next namespaces, without those that the list excludes: not every backend has an index for it. */
  async #next(list: NamespacePage): Promise<readonly NamespaceInfo[]> {
    const { limit, segment, notBelow = [] } = list;
    const depth = this.#namespace.length;
    /** The first namespace above one that ends with a segment below which nothing is listed. */
    const branchOf = (namespace: Namespace) => {
      const end = namespace.findIndex((one, index) => index >= depth && notBelow.includes(one)) + 1;
      return end > 0 && end < namespace.length ? namespace.slice(0, end) : undefined;
    };
    const isListed = ({ namespace }: NamespaceInfo) =>
      (segment === undefined || namespace.includes(segment, depth)) && branchOf(namespace) === undefined;
    const matches: NamespaceInfo[] = [];
    let { after } = list;
    let branch = after && branchOf(after);
    // A page can end in a branch, which is passed over then, and so can each one after it: they begin small.
    for (let size = notBelow.length ? Math.min(limit, STEP) : limit; ; ) {
      const infos = await this.#records.namespaces({ ...list, after, beyond: branch, limit: size });
      matches.push(...infos.filter(isListed));
      if (infos.length < size || matches.length >= limit) return matches.slice(0, limit);
      after = (infos.at(-1) as NamespaceInfo).namespace;
      branch = branchOf(after);
      size = branch && isWithin((infos[0] as NamespaceInfo).namespace, branch) ? STEP : Math.min(MAX_STEP, 2 * size);
    }
  }

  /** Here and below, from `start` on. */
  async *#from(start: Namespace): AsyncGenerator<Namespace> {
    yield start;
    let after = start.length === this.#namespace.length ? undefined : start;
    for (;;) {
      const infos = await this.#records.namespaces({ limit: STEP, after, empty: false });
      for (const { namespace } of infos) yield namespace;
      if (infos.length < STEP) return;
      after = infos.at(-1)?.namespace;
    }
  }

  #at(namespace: Namespace): NamespaceRecords {
    return namespace.length === this.#namespace.length ? this.#records : this.#open(namespace);
  }

  /** Reads a path of a cursor. A cursor of another store must not lead out of this one. */
  #within(path: string): Namespace {
    const namespace = parseNamespace(path);
    expect(isWithin(namespace, this.#namespace), 'This cursor is from a store of another namespace. Start without it.');
    return namespace;
  }
}

/** Best first, newest first on ties. */
function byScore(a: MemoryEntry, b: MemoryEntry): number {
  return (b.score ?? 0) - (a.score ?? 0) || ((b.createdAt ?? '') < (a.createdAt ?? '') ? -1 : 1);
}
