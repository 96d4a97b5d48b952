import {
  isMemoryError,
  type MemoryEntry,
  MemoryError,
  type MemoryRecord,
  type RecordInput,
  type RecordStore,
} from '@keepsake/core';
import { type Check, checkId, expect, expectFields, expectKnownFields, expectWhole } from '@keepsake/core/adapter';
import { allItems, LruMap } from '@keepsake/internal';
import {
  BaseStore,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type SearchItem,
  validateNamespace,
} from '@langchain/langgraph-checkpoint';
import { type ItemTest, readFilter } from './items/item-filter.ts';
import { hasLifetime, toItem, toRecord, withLifetimeFromNow } from './items/item-record.ts';
import { isLabel, matchNamespaces } from './items/match-namespaces.ts';
import {
  type Get,
  isGet,
  isPut,
  isSearch,
  type KeepsakePutOptions,
  type KeepsakeReadOptions,
  type Put,
  type Search,
} from './items/operations.ts';

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

const DEFAULT_LIMIT = 10;

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
  readonly #fields: readonly string[];
  readonly #ttlMs: number | undefined;
  readonly #refreshOnRead: boolean;

  /** @throws MemoryError `UNSUPPORTED` if the store can not list. */
  constructor(options: KeepsakeStoreOptions) {
    super();
    expectFields(options, '', OPTIONS);
    const { store, fields = ['$'], ttlMs, refreshOnRead = true } = options;
    expect(store, '`store` is missing. Pass a store, such as new FileStore({ … }).');
    if (!store.capabilities.enumerate) {
      throw new MemoryError('UNSUPPORTED', 'LangGraph lists items without a query. Pass a store that can list.');
    }
    this.#store = store;
    this.#fields = checkFields(fields);
    this.#ttlMs = ttlMs;
    this.#refreshOnRead = refreshOnRead;
  }

  /**
   * Executes all reads, and then all puts: reads see the state before. Of several puts of one item, the last one counts.
   * Checks everything first. The puts of one namespace are all or none where the store's `atomicBatch` is.
   */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const prepared = operations.map((operation) => this.#prepare(operation));
    const results = await Promise.all(prepared.map(({ read }) => read?.() ?? null));
    await this.#write(prepared.flatMap(({ put }) => (put === undefined ? [] : [put])));
    return results as OperationResults<Op>;
  }

  override async get(namespace: string[], key: string, options: KeepsakeReadOptions = {}): Promise<Item | null> {
    expectFields(options, '', READ);
    const [item] = await this.batch([{ ...options, namespace, key } satisfies Get]);
    return item as Item | null;
  }

  override async put(
    namespace: string[],
    key: string,
    value: Record<string, unknown>,
    index?: false | string[],
    options: KeepsakePutOptions = {},
  ): Promise<void> {
    validateNamespace(namespace);
    expectFields(options, '', PUT);
    await this.batch([{ ...options, namespace, key, value, ...(index === undefined ? {} : { index }) } satisfies Put]);
  }

  override async search(
    namespacePrefix: string[],
    options: Omit<Search, 'namespacePrefix'> = {},
  ): Promise<SearchItem[]> {
    expectKnownFields(options, SEARCH);
    const [items] = await this.batch([{ ...options, namespacePrefix } satisfies Search]);
    return items as SearchItem[];
  }

  #prepare(operation: Operation): { readonly read?: () => Promise<unknown>; readonly put?: PreparedPut } {
    if (isPut(operation)) return { put: this.#preparePut(operation) };
    if (isGet(operation)) {
      const { namespace, key, refreshTtl } = operation;
      checkItem(namespace, key);
      return { read: () => this.#get(namespace, key, refreshTtl) };
    }
    if (isSearch(operation)) {
      const search = this.#prepareSearch(operation);
      return { read: () => this.#search(search) };
    }
    const match = matchNamespaces(operation as ListNamespacesOperation);
    return { read: async () => match(await this.#namespaces()) };
  }

  #preparePut({ namespace, key, value, index, ttlMs = this.#ttlMs }: Put): PreparedPut {
    checkItem(namespace, key);
    if (ttlMs !== undefined) expectWhole(ttlMs, '`ttlMs`', 1);
    const fields = index === undefined || index === null ? this.#fields : index && checkFields(index);
    return { namespace, key, record: value === null ? undefined : toRecord(key, value, fields, ttlMs) };
  }

  #prepareSearch({ namespacePrefix, query = '', limit = DEFAULT_LIMIT, offset = 0, ...rest }: Search): PreparedSearch {
    validateNamespace(namespacePrefix, { allowEmpty: true, allowReservedRoot: true });
    expectWhole(limit, '`limit`', 0);
    expectWhole(offset, '`offset`', 0);
    expect(typeof query === 'string', '`query` must be a text.');
    const { filter, refreshTtl } = rest;
    return { prefix: namespacePrefix, query, limit, offset, passes: readFilter(filter ?? undefined), refreshTtl };
  }

  async #get(namespace: readonly string[], key: string, refreshTtl: boolean | undefined): Promise<Item | null> {
    const record = await this.#within(namespace).get(key);
    if (record === undefined) return null;
    await this.#refresh(namespace, record, refreshTtl);
    return toItem(namespace, record);
  }

  async #search(search: PreparedSearch): Promise<SearchItem[]> {
    const { query, limit, offset, refreshTtl } = search;
    if (limit === 0) return [];
    const found = await (query.trim() === '' ? this.#listed(search) : this.#ranked(search));
    const page = found.slice(offset, offset + limit);
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
  async #listed({ prefix, passes, limit, offset }: PreparedSearch): Promise<Found[]> {
    const within = this.#within(prefix);
    const size = passes === undefined ? Math.min(offset + limit, 1_000) : FILTERED_PAGE;
    const items: Found[] = [];
    const records = allItems((page) => within.list({ ...page, limit: size, descendants: true, order: 'oldest' }));
    for await (const record of records) {
      items.push(...this.#toItems(record, passes));
      if (items.length >= offset + limit) break;
    }
    return items;
  }

  /** The best items, up to the end of the page. */
  async #ranked({ prefix, query, passes, limit, offset }: PreparedSearch): Promise<Found[]> {
    const within = this.#within(prefix);
    for (let size = offset + limit; ; size *= GROWTH) {
      const entries = await within.search(query, { descendants: true, maxSearchResults: size });
      const items = entries.flatMap((entry) => this.#toItems(entry, passes));
      if (items.length >= offset + limit || entries.length < size) return items;
    }
  }

  /** The item of a record, or none if LangGraph has no name for its namespace, or if it doesn't pass. */
  #toItems(record: MemoryRecord | MemoryEntry, passes: ItemTest | undefined): Found[] {
    const namespace = this.#relative(record.namespace ?? []);
    if (namespace.length === 0 || !namespace.every(isLabel)) return [];
    const item = toItem(namespace, record);
    return passes === undefined || passes(item.value) ? [{ item, hasLifetime: hasLifetime(record) }] : [];
  }

  async #namespaces(): Promise<string[][]> {
    const found: string[][] = [];
    for await (const info of allItems((page) => this.#store.namespaces(page))) {
      const namespace = this.#relative(info.namespace);
      if (namespace.every(isLabel)) found.push(namespace);
    }
    return found;
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
const SEARCH: Readonly<Record<Exclude<keyof Search, 'namespacePrefix'>, true>> = {
  ...{ filter: true, limit: true, offset: true },
  ...{ query: true, refreshTtl: true },
};

interface Found {
  readonly item: SearchItem;
  readonly hasLifetime: boolean;
}

interface PreparedPut {
  readonly namespace: readonly string[];
  readonly key: string;
  /** `undefined` deletes the item. */
  readonly record: RecordInput | undefined;
}

interface PreparedSearch {
  readonly prefix: readonly string[];
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
  readonly passes: ItemTest | undefined;
  readonly refreshTtl: boolean | undefined;
}

function checkItem(namespace: string[], key: string): void {
  validateNamespace(namespace, { allowReservedRoot: true });
  checkId(key, 'key');
}

function checkFields(fields: readonly string[]): readonly string[] {
  const areTexts = Array.isArray(fields) && fields.every((field) => typeof field === 'string');
  expect(areTexts, "The fields to search must be a list of paths, such as ['text', 'tags[*]'].");
  return fields;
}
