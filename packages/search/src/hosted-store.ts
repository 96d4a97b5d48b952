import {
  type AddMessagesContext,
  canonicalJson,
  checkId,
  checkIdentity,
  checkIfVersion,
  checkNamespace,
  contentId,
  expectVersion,
  type JsonObject,
  type ListOptions,
  type MemoryEntry,
  MemoryError,
  type MemoryRecord,
  type Message,
  MessageRecorder,
  type Namespace,
  type NamespaceInfo,
  type NamespaceListOptions,
  type Page,
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
} from '@keepsake/core';
import type { HostedRecords } from './hosted-records.ts';

/** What is said of a hosted store when it is made. */
export interface HostedStoreOptions {
  /** Tells the store from an agent's others. */
  readonly name: string;
  /** What it holds, for people and models. */
  readonly description?: string;
  /** Its place in the tree. By default the root. */
  readonly namespace?: Namespace;
  /** By default true. */
  readonly writable?: boolean;
  /** How many entries a search gives when the caller doesn't say. By default 10. */
  readonly maxSearchResults?: number;
  /** Whether and how a manager feeds conversations to it: `true`, or the settings of that manager. */
  readonly extraction?: boolean | object;
}

/** A {@link RecordStore} whose records lie in a database, which many processes share. */
export class HostedStore implements RecordStore {
  readonly name: string;
  readonly description?: string;
  readonly maxSearchResults?: number;
  readonly writable: boolean;
  readonly extraction?: boolean | object;
  readonly namespace: Namespace;
  readonly capabilities: StoreCapabilities;
  readonly #records: HostedRecords;
  readonly #recorder = new MessageRecorder();
  readonly #writes = new Set<Promise<unknown>>();
  #closed = false;

  /**
   * @param open - Gives the records of a namespace, without reaching for them yet.
   * @throws MemoryError `INVALID_ARGUMENT` for options that can't be used.
   */
  constructor(
    options: HostedStoreOptions,
    search: StoreCapabilities['search'],
    open: (namespace: Namespace) => HostedRecords,
  ) {
    const { name, namespace = [], writable = true } = options;
    Object.assign(this, checkIdentity({ ...options, name: name ?? '' }));
    this.name = name;
    this.writable = writable;
    this.namespace = checkNamespace(namespace);
    this.capabilities = Object.freeze({ ...CAPABILITIES, search });
    this.#records = open(this.namespace);
  }

  async search(query: string, options?: SearchOptions): Promise<MemoryEntry[]> {
    this.#checkOpen();
    const { filter, minScore = -Infinity, explain = false, signal } = options ?? {};
    if (typeof query !== 'string') throw new MemoryError('INVALID_ARGUMENT', 'The query is to be a text.');
    const limit = searchLimit(this, options);
    const rules = parseFilter(filter);
    throwIfAborted(signal);
    if (query.trim() === '') return [];
    const entries = await this.#records.search({ query, limit, rules, minScore, explain, signal });
    throwIfAborted(signal);
    return entries;
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
    return this.#writing(async () => {
      checkIfVersion(options?.ifVersion);
      const prepared = prepareRecord(record);
      const { ifVersion, signal } = options ?? {};
      throwIfAborted(signal);
      const [put] = await this.#records.put([prepared], {
        ...(ifVersion !== undefined && {
          check([known]: readonly (MemoryRecord | undefined)[]) {
            expectVersion(ifVersion, known?.version ?? 0);
            return undefined;
          },
          read: ifVersion > 0 && prepared.id !== undefined,
        }),
        signal,
      });
      return put as MemoryRecord;
    });
  }

  async putMany(records: readonly RecordInput[]): Promise<MemoryRecord[]> {
    return this.#writing(async () => [...(await this.#records.put(prepareRecords(records)))]);
  }

  async add(content: string, metadata?: JsonObject): Promise<MemoryRecord> {
    const prepare = () => prepareRecord({ content, ...(metadata === undefined ? {} : { metadata }) }, 'memory');
    return this.#writing(async () => this.#addOnce(prepare()));
  }

  async #addOnce(prepared: PreparedRecord): Promise<MemoryRecord> {
    const { content, metadata } = prepared;
    const id = await contentId(content);
    const [added] = await this.#records.put([{ ...prepared, id }], {
      check: ([known]) => (known?.content === content && sameMetadata(known.metadata, metadata) ? [known] : undefined),
      read: true,
    });
    return added as MemoryRecord;
  }

  async addMessages(messages: Message[], context?: AddMessagesContext): Promise<MemoryRecord[]> {
    // Not through `this`: it may be closed meanwhile.
    const records = {
      get: (id: string) => this.#records.get(id),
      putMany: async (inputs: readonly RecordInput[]) => [...(await this.#records.put(prepareRecords(inputs)))],
    };
    return this.#writing(() => this.#recorder.add(records, messages, context));
  }

  async delete(id: string, options?: { readonly ifVersion?: number }): Promise<boolean> {
    return this.#writing(async () => {
      checkId(id, 'id');
      checkIfVersion(options?.ifVersion);
      return this.#records.delete(id, ({ version }) => expectVersion(options?.ifVersion, version));
    });
  }

  async list(options?: ListOptions): Promise<Page<MemoryRecord>> {
    this.#checkOpen();
    throwIfAborted(options?.signal);
    return this.#records.list(options);
  }

  async clear(options?: { readonly descendants?: boolean }): Promise<number> {
    return this.#writing(async () => {
      const count = await this.#records.clear();
      return options?.descendants === true ? count + (await this.#records.clearBelow()) : count;
    });
  }

  within(segments: Namespace, identity: Partial<StoreIdentity> = {}): RecordStore {
    this.#checkOpen();
    const { name, description, maxSearchResults, extraction } = this;
    const known = { description, maxSearchResults, extraction };
    const own = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
    const options: HostedStoreOptions = {
      name,
      ...own,
      ...checkIdentity(identity),
      // Nothing below a store that is for reading may be for writing.
      writable: this.writable && identity.writable !== false,
      namespace: [...this.namespace, ...checkNamespace(segments)],
    };
    return new HostedStore(options, this.capabilities.search, (namespace) => this.#records.at(namespace));
  }

  async namespaces(options?: NamespaceListOptions): Promise<Page<NamespaceInfo>> {
    this.#checkOpen();
    return this.#records.namespaces(options);
  }

  async compact(): Promise<void> {
    await this.removeExpired();
  }

  /** Removes what has expired from storage, as any write does; gives what the backend says of it. */
  protected removeExpired(): Promise<unknown> {
    return this.#writing(async () => this.#records.sweep());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writes);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Runs a write, which `close` waits for. */
  async #writing<T>(write: () => Promise<T>): Promise<T> {
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

const CAPABILITIES = {
  consistency: 'strong',
  durable: true,
  shared: true,
  atomicBatch: true,
  ttl: true,
  enumerate: true,
  filter: true,
} as const;

function sameMetadata(a: JsonObject, b: JsonObject): boolean {
  return canonicalJson(a, 'metadata') === canonicalJson(b, 'metadata');
}
