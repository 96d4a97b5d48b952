import {
  type AddMessagesContext,
  canonicalJson,
  checkId,
  checkIdentity,
  checkIfVersion,
  checkNamespace,
  contentId,
  expectVersion,
  isWithin,
  type JsonObject,
  type ListOptions,
  type MemoryEntry,
  MemoryError,
  type MemoryRecord,
  type Message,
  MessageRecorder,
  matchesFilter,
  type Namespace,
  type NamespaceInfo,
  namespacePage,
  type Page,
  type PageOptions,
  type PreparedRecord,
  parseFilter,
  prepareRecord,
  prepareRecords,
  type RecordInput,
  type RecordStore,
  type SearchOptions,
  type StoreCapabilities,
  type StoreIdentity,
  searchLimit,
  throwIfAborted,
  uuidv7,
} from '@keepsake/core';
import { excerptsFor } from '@keepsake/search';
import { Connection } from './connection.ts';
import { allNamespaces, Records, removeExpired } from './records.ts';
import type { SqliteClient } from './sqlite-client.ts';

/** How to open a {@link SqliteStore}. */
export interface SqliteStoreOptions extends Partial<StoreIdentity> {
  readonly client: SqliteClient;
  /** Tells the store from an agent's others. */
  readonly name: string;
  /** Its place in the tree. By default the root. */
  readonly namespace?: Namespace;
}

const CAPABILITIES: StoreCapabilities = Object.freeze({
  search: 'lexical',
  consistency: 'strong',
  durable: true,
  shared: true,
  atomicBatch: true,
  ttl: true,
  enumerate: true,
  filter: true,
});

/** Memory in SQLite. Records are durable and shared as the database is: `:memory:` ends with its client. */
export class SqliteStore implements RecordStore {
  readonly name: string;
  readonly description?: string;
  readonly maxSearchResults?: number;
  readonly writable: boolean;
  readonly extraction?: boolean | object;
  readonly namespace: Namespace;
  readonly capabilities = CAPABILITIES;
  readonly #client: SqliteClient;
  readonly #connection: Connection;
  readonly #records: Records;
  readonly #recorder = new MessageRecorder();
  readonly #writes = new Set<Promise<unknown>>();
  #closed = false;

  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't be used. Writes nothing. */
  constructor(options: SqliteStoreOptions) {
    const { client, name, namespace = [], writable = true } = options;
    Object.assign(this, checkIdentity({ ...options, name: name ?? '' }));
    this.name = name;
    this.writable = writable;
    this.namespace = checkNamespace(namespace);
    this.#client = client;
    this.#connection = new Connection(client);
    this.#records = new Records(this.#connection, this.namespace);
  }

  async search(query: string, options?: SearchOptions): Promise<MemoryEntry[]> {
    this.#checkOpen();
    if (typeof query !== 'string') throw new MemoryError('INVALID_ARGUMENT', 'The query is to be a text.');
    const limit = searchLimit(this, options);
    const rules = parseFilter(options?.filter);
    throwIfAborted(options?.signal);
    const minScore = options?.minScore ?? -Infinity;
    const excerptOf = excerptsFor(query);
    return this.#records
      .search(query)
      .filter((found) => found.score >= minScore && matchesFilter(rules, found))
      .slice(0, limit)
      .map(({ version, expiresAt, ...entry }) => {
        const excerpt = excerptOf(entry.content);
        return excerpt === undefined ? entry : { ...entry, excerpt };
      });
  }

  async get(id: string): Promise<MemoryRecord | undefined> {
    this.#checkOpen();
    checkId(id, 'id');
    return this.#records.get(id);
  }

  async put(
    record: RecordInput,
    options?: { readonly ifVersion?: number; readonly signal?: AbortSignal },
  ): Promise<MemoryRecord> {
    return this.#write(async () => {
      checkIfVersion(options?.ifVersion);
      const prepared = prepareRecord(record);
      throwIfAborted(options?.signal);
      return this.#putAll([prepared], options?.ifVersion)[0] as MemoryRecord;
    });
  }

  async putMany(records: readonly RecordInput[]): Promise<MemoryRecord[]> {
    return this.#write(async () => this.#putAll(prepareRecords(records)));
  }

  async add(content: string, metadata?: JsonObject): Promise<MemoryRecord> {
    return this.#write(async () => {
      const prepared = prepareRecord({ content, ...(metadata === undefined ? {} : { metadata }) }, 'memory');
      const id = await contentId(prepared.content);
      return this.#change(() => {
        const known = this.#records.get(id);
        return known && sameMemory(known, prepared) ? known : this.#records.put({ ...prepared, id });
      });
    });
  }

  async addMessages(messages: Message[], context?: AddMessagesContext): Promise<MemoryRecord[]> {
    const records: Pick<RecordStore, 'get' | 'putMany'> = {
      get: async (id) => this.#records.get(id),
      putMany: async (inputs) => this.#putAll(prepareRecords(inputs)),
    };
    return this.#write(() => this.#recorder.add(records, messages, context));
  }

  async delete(id: string, options?: { readonly ifVersion?: number }): Promise<boolean> {
    return this.#write(async () => {
      checkId(id, 'id');
      checkIfVersion(options?.ifVersion);
      return this.#change(() => {
        const known = this.#records.get(id);
        if (known === undefined) return false;
        expectVersion(options?.ifVersion, known.version);
        this.#records.delete(id);
        return true;
      });
    });
  }

  async list(options?: ListOptions): Promise<Page<MemoryRecord>> {
    this.#checkOpen();
    throwIfAborted(options?.signal);
    return this.#records.list(options);
  }

  async clear(options?: { readonly descendants?: boolean }): Promise<number> {
    return this.#write(async () =>
      this.#change(() => {
        let count = this.#records.clear();
        if (options?.descendants !== true) return count;
        for (const { namespace } of this.#below()) count += new Records(this.#connection, namespace).clear();
        return count;
      }),
    );
  }

  within(segments: Namespace, identity: Partial<StoreIdentity> = {}): SqliteStore {
    this.#checkOpen();
    const { name, description, maxSearchResults, extraction } = this;
    return new SqliteStore({
      name,
      ...checkIdentity({ description, maxSearchResults, extraction } as Partial<StoreIdentity>),
      ...checkIdentity(identity),
      // Nothing below a store that is for reading may be for writing.
      writable: this.writable && identity.writable !== false,
      client: this.#client,
      namespace: [...this.namespace, ...checkNamespace(segments)],
    });
  }

  async namespaces(options?: PageOptions): Promise<Page<NamespaceInfo>> {
    this.#checkOpen();
    return namespacePage(this.#below(), options);
  }

  /** Waits for the writes that have begun. The client stays open: it is the caller's. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writes);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #putAll(inputs: readonly PreparedRecord[], ifVersion?: number): MemoryRecord[] {
    const records = inputs.map((input) => ({ ...input, id: input.id ?? uuidv7() }));
    return this.#change(() =>
      records.map((record) => {
        expectVersion(ifVersion, this.#records.get(record.id)?.version ?? 0);
        return this.#records.put(record);
      }),
    );
  }

  #change<T>(change: () => T): T {
    return this.#connection.transaction(() => {
      removeExpired(this.#connection);
      return change();
    });
  }

  #below(): NamespaceInfo[] {
    const { namespace: here } = this;
    return allNamespaces(this.#connection).filter(
      ({ namespace }) => namespace.length > here.length && isWithin(namespace, here),
    );
  }

  /** Runs a write, which `close` waits for. */
  async #write<T>(write: () => Promise<T>): Promise<T> {
    this.#checkOpen();
    if (!this.writable) {
      throw new MemoryError('READ_ONLY', 'This store is for reading: it was made with writable: false.');
    }
    const written = write();
    this.#writes.add(written);
    try {
      return await written;
    } finally {
      this.#writes.delete(written);
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw new MemoryError('CLOSED', 'This store was closed. Make a new one.');
  }
}

function sameMemory(known: MemoryRecord, { content, metadata }: PreparedRecord): boolean {
  const canonical = (value: JsonObject) => canonicalJson(value, 'metadata');
  return known.content === content && canonical(known.metadata) === canonical(metadata);
}
