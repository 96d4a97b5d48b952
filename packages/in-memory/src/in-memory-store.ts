import type { Namespace } from '@keepsake/core';
import {
  EmbeddedStore,
  type EmbeddedStoreOptions,
  type Language,
  type RecordChange,
  type RecordPlace,
  type RecordSpace,
  RecordTable,
  type RecordView,
  type StoredRecord,
} from '@keepsake/search';

/** How to make an {@link InMemoryStore}. */
export type InMemoryStoreOptions = EmbeddedStoreOptions;

/**
 * Memory that lives and dies with this object: for tests, and for processes that need not remember.
 *
 * Stores of other namespaces over the same records come from `within()`.
 */
export class InMemoryStore extends EmbeddedStore {
  constructor(options: InMemoryStoreOptions) {
    super(options, inMemorySpace({ dimensions: options.embedder?.dimensions, language: options.language }));
  }
}

type Tables = Map<string, { readonly namespace: Namespace; readonly table: RecordTable }>;

interface Indexing {
  readonly dimensions: number | undefined;
  readonly language: Language | undefined;
}

function inMemorySpace(indexing: Indexing): RecordSpace {
  const tables: Tables = new Map();
  return {
    durable: false,
    shared: false,
    open: (namespace) => new InMemoryPlace(tables, namespace, indexing),
    namespaces: async () => [...tables.values()].map(({ namespace }) => namespace),
  };
}

/** A namespace, which has a table as long as it has records: a process may see very many users. */
class InMemoryPlace implements RecordPlace {
  readonly #tables: Tables;
  readonly #namespace: Namespace;
  readonly #key: string;
  readonly #indexing: Indexing;

  constructor(tables: Tables, namespace: Namespace, indexing: Indexing) {
    this.#tables = tables;
    this.#namespace = namespace;
    this.#key = JSON.stringify(namespace);
    this.#indexing = indexing;
  }

  async read<T>(use: (table: RecordView) => T): Promise<T> {
    return use(this.#table());
  }

  async change(decide: (table: RecordView) => readonly RecordChange[]): Promise<void> {
    const table = this.#table();
    const changes = decide(table);
    for (const change of changes) apply(table, change);
    if (table.size > 0) this.#tables.set(this.#key, { namespace: this.#namespace, table });
    else this.#tables.delete(this.#key);
  }

  async clear(): Promise<number> {
    const { size } = this.#table();
    this.#tables.delete(this.#key);
    return size;
  }

  #table(): RecordTable {
    const table = this.#tables.get(this.#key)?.table ?? newTable(this.#indexing);
    table.expire(Date.now());
    if (table.size === 0) this.#tables.delete(this.#key);
    return table;
  }
}

function apply(table: RecordTable, change: RecordChange): void {
  if ('put' in change) table.put(change.put, change.put, change.vector);
  else table.delete(change.delete);
}

/** The place of a record is the record itself. */
function newTable({ dimensions, language }: Indexing): RecordTable {
  return new RecordTable({
    ...(dimensions === undefined ? {} : { dimensions }),
    language,
    read: (record: StoredRecord) => record,
  });
}
