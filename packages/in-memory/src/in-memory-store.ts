import type { Namespace } from '@keepsake/core';
import { expectKnownFields, type IndexedField, indexedFields } from '@keepsake/core/adapter';
import {
  EMBEDDED_STORE_OPTIONS,
  EmbeddedStore,
  type EmbeddedStoreOptions,
  type Language,
  NamespaceOrder,
  type RecordChange,
  type RecordPlace,
  type RecordSpace,
  RecordTable,
  type RecordView,
  type StoredRecord,
} from '@keepsake/search';

/** Options of {@link InMemoryStore}. */
export type InMemoryStoreOptions = EmbeddedStoreOptions;

/**
 * A memory store in the memory of this process, for tests and short-lived processes. It is lost with this object.
 *
 * `within()` opens other namespaces over the same records.
 *
 * @example
 * const store = new InMemoryStore({ name: 'facts' });
 * await store.add('Prefers aisle seats');
 */
export class InMemoryStore extends EmbeddedStore {
  constructor(options: InMemoryStoreOptions) {
    const checkedOptions = expectKnownFields(options, EMBEDDED_STORE_OPTIONS);
    super(checkedOptions, inMemorySpace(indexingFor(checkedOptions)));
  }
}

/** Those of the namespaces with records. */
type Tables = NamespaceOrder<{ readonly namespace: Namespace; readonly table: RecordTable }>;

interface Indexing {
  readonly dimensions: number | undefined;
  readonly language: Language | undefined;
  readonly indexed: readonly IndexedField[];
}

function indexingFor({ embedder, language, indexed }: InMemoryStoreOptions): Indexing {
  return { dimensions: embedder?.dimensions, language, indexed: indexedFields(indexed) };
}

function inMemorySpace(indexing: Indexing): RecordSpace {
  const tables: Tables = new NamespaceOrder();
  const open = (namespace: Namespace) => new InMemoryPlace(tables, namespace, indexing);
  return {
    durable: false,
    shared: false,
    open,
    namespacesBelow: async (namespace) => [...tables.below(namespace)].map((one) => one.namespace),
    nextNamespaces: (below, list) => tables.next(below, list, ({ namespace }) => open(namespace).size),
  };
}

/** One namespace. It has a table only while it has records, because a process may serve very many users. */
class InMemoryPlace implements RecordPlace {
  readonly #tables: Tables;
  readonly #namespace: Namespace;
  readonly #indexing: Indexing;

  constructor(tables: Tables, namespace: Namespace, indexing: Indexing) {
    this.#tables = tables;
    this.#namespace = namespace;
    this.#indexing = indexing;
  }

  get size(): number {
    return this.#table().size;
  }

  async read<T>(use: (table: RecordView) => T): Promise<T> {
    return use(this.#table());
  }

  async change(decide: (table: RecordView) => readonly RecordChange[]): Promise<void> {
    const table = this.#table();
    const changes = decide(table);
    for (const change of changes) apply(table, change);
    if (table.size > 0) this.#tables.set({ namespace: this.#namespace, table });
    else this.#tables.delete(this.#namespace);
  }

  async clear(): Promise<number> {
    const { size } = this;
    this.#tables.delete(this.#namespace);
    return size;
  }

  #table(): RecordTable {
    const table = this.#tables.get(this.#namespace)?.table ?? newTable(this.#indexing);
    table.expire(Date.now());
    if (table.size === 0) this.#tables.delete(this.#namespace);
    return table;
  }
}

function apply(table: RecordTable, change: RecordChange): void {
  if ('put' in change) table.put(change.put, change.put, change.vector);
  else table.delete(change.delete);
}

/** The table keeps the records themselves as their locations. */
function newTable({ dimensions, language, indexed }: Indexing): RecordTable {
  return new RecordTable({
    ...(dimensions === undefined ? {} : { dimensions }),
    language,
    indexed,
    read: (record: StoredRecord) => record,
  });
}
