import { isMemoryError, type MemoryEntry, MemoryError, type MemoryRecord, type RecordStore } from '@keepsake/core';
import {
  type Check,
  checkLifetime,
  expect,
  expectFields,
  expectKnownFields,
  type FieldNames,
} from '@keepsake/core/adapter';
import { allItems, LruMap } from '@keepsake/internal';
import {
  BaseStore,
  type Item,
  type Operation,
  type OperationResults,
  type SearchItem,
} from '@langchain/langgraph-checkpoint';
import { readList } from './arguments/read-argument.ts';
import { readNamespace } from './arguments/read-namespace.ts';
import type { ItemTest } from './items/item-filter.ts';
import { hasLifetime, toItem, withLifetimeFromNow } from './items/item-record.ts';
import { isLabel } from './items/match-namespaces.ts';
import type { Get, KeepsakePutOptions, KeepsakeReadOptions, List, Put, Search } from './items/operations.ts';
import {
  type PreparedGet,
  type PreparedOperation,
  type PreparedPut,
  type PreparedSearch,
  type PutDefaults,
  readOperation,
} from './items/read-operation.ts';
import { readPaths } from './items/text-paths.ts';

/** Options of {@link KeepsakeStore}. */
export interface KeepsakeStoreOptions {
  /** Where items are stored, and what ranks them. Namespaces of LangGraph are below the namespace of this store. */
  readonly store: RecordStore;
  /**
   * The paths of values that a search by `query` looks at, such as `['text', 'tags[*]']`. Values over 64 KiB are searched
   * as a whole.
   *
   * @default ['$'] (the whole value)
   */
  readonly fields?: readonly string[] | undefined;
  /**
   * The lifetime of items in whole milliseconds.
   *
   * @default unlimited
   */
  readonly ttlMs?: number | undefined;
  /**
   * Whether reading an item starts its lifetime again.
   *
   * @default true
   */
  readonly refreshOnRead?: boolean | undefined;
}

const OPTIONS: Readonly<Record<keyof KeepsakeStoreOptions, Check>> = {
  store: ['within', 'putMany', 'search'],
  fields: 'array',
  ttlMs: 'whole',
  refreshOnRead: 'boolean',
};

/** How many namespaces a list returns if the caller sets no limit, as in LangGraph's own stores. */
const DEFAULT_NAMESPACES = 100;

/** How many namespaces are kept open. Opening one can read all of it, as in files. */
const OPEN_NAMESPACES = 64;

/** How many more entries a search asks for if a filter leaves out some of them. */
const GROWTH = 4;

/** How many records a list reads at a time if a filter leaves out some of them. */
const FILTERED_PAGE = 250;

/**
 * The long-term memory of LangGraph on any Keepsake backend. Items are free JSON objects of up to 1 MiB.
 *
 * A search by `query` ranks with the store: by words, and by meaning if it has an embedder. What other agents remember in
 * the same store with Keepsake are items too.
 *
 * @example
 * const store = new KeepsakeStore({ store: new FileStore({ directory: '.keepsake', name: 'memory' }) });
 * const graph = builder.compile({ store });
 * await store.put(['users', 'alice'], 'tea', { text: 'Likes green tea' });
 */
export class KeepsakeStore extends BaseStore {
  readonly #store: RecordStore;
  readonly #open = new LruMap<string, RecordStore>(OPEN_NAMESPACES);
  readonly #defaults: PutDefaults;
  readonly #refreshOnRead: boolean;

  /** @throws MemoryError `UNSUPPORTED` if the store can not list. */
  constructor(options: KeepsakeStoreOptions) {
    super();
    const { store, fields = ['$'], ttlMs, refreshOnRead = true } = expectFields(options, '', OPTIONS);
    expect(store, '`store` is missing. Pass a store, such as new FileStore({ … }).');
    if (!store.capabilities.enumerate) {
      throw new MemoryError('UNSUPPORTED', 'LangGraph lists items without a query. Pass a store that can list.');
    }
    checkLifetime({ ttlMs });
    this.#store = store;
    this.#defaults = { fields: readPaths(fields, 'fields'), ttlMs };
    this.#refreshOnRead = refreshOnRead;
  }

  /**
   * Executes all reads, and then all puts: reads see the state before. Of several puts of one item, the last one counts.
   * Checks and copies everything first, so that an invalid operation leaves the store as it was. The puts of one namespace
   * are all or none where the store's `atomicBatch` is.
   *
   * @throws MemoryError `INVALID_ARGUMENT` with the path to what is wrong, such as `operations[2].key`; LangGraph's
   *   `InvalidNamespaceError` for a label that no store of LangGraph accepts.
   */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const prepared = readList(operations, 'operations', (operation, at) =>
      readOperation(operation, at, this.#defaults),
    );
    return (await this.#execute(prepared)) as OperationResults<Op>;
  }

  override async get(namespace: string[], key: string, options: KeepsakeReadOptions = {}): Promise<Item | null> {
    const checkedOptions = expectFields(options, '', READ);
    return (await this.#executeOne({ ...checkedOptions, namespace, key } satisfies Get)) as Item | null;
  }

  override async put(
    namespace: string[],
    key: string,
    value: Record<string, unknown>,
    index?: false | string[],
    options: KeepsakePutOptions = {},
  ): Promise<void> {
    const checkedOptions = expectFields(options, '', PUT);
    const labels = readNamespace(namespace, 'namespace');
    const put: Put = { ...checkedOptions, namespace: labels, key, value, ...(index === undefined ? {} : { index }) };
    await this.#executeOne(put);
  }

  override async delete(namespace: string[], key: string): Promise<void> {
    await this.#executeOne({ namespace, key, value: null } satisfies Put);
  }

  override async search(
    namespacePrefix: string[],
    options: Omit<Search, 'namespacePrefix'> = {},
  ): Promise<SearchItem[]> {
    const checkedOptions = expectKnownFields(options, SEARCH);
    return (await this.#executeOne({ ...checkedOptions, namespacePrefix } satisfies Search)) as SearchItem[];
  }

  override async listNamespaces(options: ListOptions = {}): Promise<string[][]> {
    const { prefix, suffix, limit = DEFAULT_NAMESPACES, ...otherOptions } = expectKnownFields(options, LIST);
    const matchConditions = Object.entries({ prefix, suffix }).flatMap(([matchType, path]) => {
      return path ? [{ matchType, path: readNamespace(path, matchType, ANYWHERE) }] : [];
    });
    return (await this.#executeOne({ ...otherOptions, limit, matchConditions } as List)) as string[][];
  }

  /** Executes an operation whose fields are the arguments of a method. */
  async #executeOne(operation: Operation): Promise<unknown> {
    const [result] = await this.#execute([readOperation(operation, '', this.#defaults)]);
    return result;
  }

  async #execute(operations: readonly PreparedOperation[]): Promise<unknown[]> {
    const results = await Promise.all(operations.map((operation) => this.#read(operation)));
    await this.#write(operations.filter((operation) => operation.kind === 'put'));
    return results;
  }

  async #read(operation: PreparedOperation): Promise<unknown> {
    switch (operation.kind) {
      case 'get':
        return this.#get(operation);
      case 'search':
        return this.#search(operation);
      case 'list':
        return operation.match(await this.#namespaces());
      case 'put':
        return null;
    }
  }

  async #get({ namespace, key, refreshTtl }: PreparedGet): Promise<Item | null> {
    const record = await this.#within(namespace).get(key);
    if (record === undefined) return null;
    await this.#refresh(namespace, record, refreshTtl);
    return toItem(namespace, record);
  }

  async #search(search: PreparedSearch): Promise<SearchItem[]> {
    const { query, limit, offset, refreshTtl } = search;
    if (limit === 0) return [];
    const hits = await (query.trim() === '' ? this.#listed(search) : this.#ranked(search));
    const page = hits.slice(offset, offset + limit);
    await Promise.all(
      page.map(async ({ item: { namespace, key }, hasLifetime }) => {
        if (!hasLifetime || !(refreshTtl ?? this.#refreshOnRead)) return;
        const record = await this.#within(namespace).get(key);
        if (record !== undefined) await this.#refresh(namespace, record, true);
      }),
    );
    return page.map(({ item }) => item);
  }

  /** The first items by creation in each namespace, up to the end of the page. */
  async #listed({ prefix, passes, limit, offset }: PreparedSearch): Promise<ListedItem[]> {
    const within = this.#within(prefix);
    const size = passes === undefined ? Math.min(offset + limit, 1_000) : FILTERED_PAGE;
    const items: ListedItem[] = [];
    const records = allItems((page) => within.list({ ...page, limit: size, descendants: true, order: 'oldest' }));
    for await (const record of records) {
      items.push(...this.#toItems(record, passes));
      if (items.length >= offset + limit) break;
    }
    return items;
  }

  /** The best items, up to the end of the page. */
  async #ranked({ prefix, query, passes, limit, offset }: PreparedSearch): Promise<ListedItem[]> {
    const within = this.#within(prefix);
    for (let size = Math.min(offset + limit, Number.MAX_SAFE_INTEGER); ; size *= GROWTH) {
      const entries = await within.search(query, { descendants: true, maxSearchResults: size });
      const items = entries.flatMap((entry) => this.#toItems(entry, passes));
      if (items.length >= offset + limit || entries.length < size) return items;
    }
  }

  /** The item of a record, or none if LangGraph has no name for its namespace, or if it doesn't pass. */
  #toItems(record: MemoryRecord | MemoryEntry, passes: ItemTest | undefined): ListedItem[] {
    const namespace = this.#relative(record.namespace ?? []);
    if (namespace.length === 0 || !namespace.every(isLabel)) return [];
    const item = toItem(namespace, record);
    return passes === undefined || passes(item.value) ? [{ item, hasLifetime: hasLifetime(record) }] : [];
  }

  async #namespaces(): Promise<string[][]> {
    const namespaces: string[][] = [];
    for await (const info of allItems((page) => this.#store.namespaces(page))) {
      const namespace = this.#relative(info.namespace);
      if (namespace.every(isLabel)) namespaces.push(namespace);
    }
    return namespaces;
  }

  #within(namespace: readonly string[]): RecordStore {
    return this.#open.getOrCreate(JSON.stringify(namespace), () => this.#store.within(namespace));
  }

  #relative(namespace: readonly string[]): string[] {
    return namespace.slice(this.#store.namespace.length);
  }

  async #write(puts: readonly PreparedPut[]): Promise<void> {
    const namespaces = new Map<string, Map<string, PreparedPut>>();
    for (const put of puts) {
      const place = JSON.stringify(put.namespace);
      const items = namespaces.get(place) ?? new Map<string, PreparedPut>();
      namespaces.set(place, items.set(put.key, put));
    }
    await Promise.all(
      [...namespaces.values()].map(async (items) => {
        const all = [...items.values()];
        const store = this.#within(all[0]?.namespace ?? []);
        await store.putMany(all.flatMap(({ record }) => (record === undefined ? [] : [record])));
        await Promise.all(all.map(({ key, record }) => record ?? store.delete(key)));
      }),
    );
  }

  async #refresh(namespace: readonly string[], record: MemoryRecord, refreshTtl = this.#refreshOnRead): Promise<void> {
    const refreshed = refreshTtl ? withLifetimeFromNow(record) : undefined;
    if (refreshed === undefined) return;
    try {
      await this.#within(namespace).put(refreshed, { ifVersion: record.version });
    } catch (error) {
      // Another put came between, which set the lifetime too.
      if (!isMemoryError(error, 'CONFLICT')) throw error;
    }
  }
}

const READ: Readonly<Record<keyof KeepsakeReadOptions, Check>> = { refreshTtl: 'boolean' };
const PUT: Readonly<Record<keyof KeepsakePutOptions, Check>> = { ttlMs: 'whole' };
const ANYWHERE = { allowEmpty: true, allowReservedRoot: true };

type ListOptions = NonNullable<Parameters<BaseStore['listNamespaces']>[0]>;
const LIST: FieldNames<ListOptions> = { prefix: true, suffix: true, maxDepth: true, limit: true, offset: true };
const SEARCH: Readonly<Record<Exclude<keyof Search, 'namespacePrefix'>, true>> = {
  ...{ filter: true, limit: true, offset: true },
  ...{ query: true, refreshTtl: true },
};

interface ListedItem {
  readonly item: SearchItem;
  readonly hasLifetime: boolean;
}
