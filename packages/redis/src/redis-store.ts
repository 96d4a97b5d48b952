import {
  type AddMessagesContext,
  canonicalJson,
  checkId,
  checkIdentity,
  checkIfVersion,
  checkNamespace,
  contentId,
  type Embedder,
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
} from '@keepsake/core';
import { checkEmbedder, checkLanguage, type Language } from '@keepsake/search';
import { checkPrefix } from './keys.ts';
import { listRecords } from './list-records.ts';
import { listNamespaces, namespacesBelow } from './namespaces.ts';
import { Records } from './records.ts';
import { checkClient, type RedisClient } from './redis-client.ts';
import { Registry } from './registry.ts';
import { searchRecords } from './search-records.ts';
import type { StoredRecord } from './stored-record.ts';

/** How to open a {@link RedisStore}. */
export interface RedisStoreOptions {
  /** A `Redis` or `Cluster` of ioredis. It is the caller's: the store never closes it. */
  readonly client: RedisClient;
  /** What all keys begin with; no braces. By default `keepsake:`. */
  readonly keyPrefix?: string;
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
  /**
   * The language of the records and the queries; `'none'` for neither stop words nor word forms. By default each text is of
   * the language that it seems to be in. All stores over the same records are to be given the same: what is in a namespace
   * is written and searched in one way, and another is refused with `BACKEND`.
   */
  readonly language?: Language;
  /**
   * Adds search by meaning to that by words. The vectors lie in Redis; each process keeps a copy of those that it searches
   * and compares with every one, which is good for some 100,000 a namespace. Scores are then those of reciprocal rank
   * fusion, 2/61 at most.
   */
  readonly embedder?: Embedder;
}

/**
 * Memory in Redis, on one server or a cluster, with no module: many processes and machines can share it.
 *
 * Each change is one script, and so is a batch: all of it lands or none; over 256 MiB it is `TOO_LARGE`. Every namespace lies in one hash slot of a
 * cluster. Search ranks on the server; two calls find and fetch the best entries. How durable an acknowledged write is,
 * is for the server's `appendfsync` to say.
 */
export class RedisStore implements RecordStore {
  readonly name: string;
  readonly description?: string;
  readonly maxSearchResults?: number;
  readonly writable: boolean;
  readonly extraction?: boolean | object;
  readonly namespace: Namespace;
  readonly capabilities: StoreCapabilities;
  readonly #options: RedisStoreOptions;
  readonly #registry: Registry;
  readonly #records: Records;
  readonly #recorder = new MessageRecorder();
  readonly #writes = new Set<Promise<unknown>>();
  #closed = false;

  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't be used. Sends nothing. */
  constructor(options: RedisStoreOptions) {
    const { client, keyPrefix, name, namespace = [], writable = true, language, embedder } = options;
    Object.assign(this, checkIdentity({ ...options, name: name ?? '' }));
    this.name = name;
    this.writable = writable;
    this.namespace = checkNamespace(namespace);
    checkEmbedder(embedder);
    checkLanguage(language);
    this.capabilities = Object.freeze({ ...CAPABILITIES, search: embedder === undefined ? 'lexical' : 'hybrid' });
    this.#options = options;
    const prefix = checkPrefix(keyPrefix);
    this.#registry = new Registry(checkClient(client), prefix);
    this.#records = new Records({
      client,
      prefix,
      namespace: this.namespace,
      registry: this.#registry,
      language,
      embedder,
    });
  }

  async search(query: string, options?: SearchOptions): Promise<MemoryEntry[]> {
    this.#checkOpen();
    const { filter, minScore = -Infinity, explain = false, signal } = options ?? {};
    if (typeof query !== 'string') throw new MemoryError('INVALID_ARGUMENT', 'The query is to be a text.');
    const limit = searchLimit(this, options);
    const rules = parseFilter(filter);
    throwIfAborted(signal);
    if (query.trim() === '') return [];
    const entries = await searchRecords(this.#records, { query, limit, rules, minScore, explain, signal });
    throwIfAborted(signal);
    return entries;
  }

  async get(id: string): Promise<MemoryRecord | undefined> {
    this.#checkOpen();
    checkId(id, 'id');
    return (await this.#records.get(id))?.record;
  }

  async put(
    record: RecordInput,
    options?: { readonly ifVersion?: number; readonly signal?: AbortSignal },
  ): Promise<MemoryRecord> {
    return this.#writing(async () => {
      checkIfVersion(options?.ifVersion);
      const prepared = prepareRecord(record);
      throwIfAborted(options?.signal);
      const { ifVersion, signal } = options ?? {};
      // Where a version is expected, the record is to be read in any case.
      const read = ifVersion !== undefined && ifVersion > 0 && prepared.id !== undefined;
      const assumed = [read ? await this.#records.get(prepared.id) : undefined];
      const check = ([known]: readonly (StoredRecord | undefined)[]) => {
        throwIfAborted(signal);
        expectVersion(ifVersion, known?.record.version ?? 0);
        return undefined;
      };
      const [put] = await this.#records.put([prepared], check, assumed, signal);
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
    const check = ([known]: readonly (StoredRecord | undefined)[]) => {
      const record = known?.record;
      return record?.content === content && sameMetadata(record.metadata, metadata) ? [record] : undefined;
    };
    const [added] = await this.#records.put([{ ...prepared, id }], check, [await this.#records.get(id)]);
    return added as MemoryRecord;
  }

  async addMessages(messages: Message[], context?: AddMessagesContext): Promise<MemoryRecord[]> {
    // Not through `this`: it may be closed meanwhile.
    const records = {
      get: async (id: string) => (await this.#records.get(id))?.record,
      putMany: async (inputs: readonly RecordInput[]) => [...(await this.#records.put(prepareRecords(inputs)))],
    };
    return this.#writing(() => this.#recorder.add(records, messages, context));
  }

  async delete(id: string, options?: { readonly ifVersion?: number }): Promise<boolean> {
    return this.#writing(async () => {
      checkId(id, 'id');
      checkIfVersion(options?.ifVersion);
      return this.#records.delete(id, ({ record }) => expectVersion(options?.ifVersion, record.version));
    });
  }

  async list(options?: ListOptions): Promise<Page<MemoryRecord>> {
    this.#checkOpen();
    throwIfAborted(options?.signal);
    return listRecords(this.#records, options);
  }

  async clear(options?: { readonly descendants?: boolean }): Promise<number> {
    return this.#writing(async () => {
      let count = await this.#records.clear();
      if (options?.descendants !== true) return count;
      for await (const namespace of namespacesBelow(this.#registry, this.namespace)) {
        count += await this.#records.at(namespace).clear();
      }
      return count;
    });
  }

  within(segments: Namespace, identity: Partial<StoreIdentity> = {}): RecordStore {
    this.#checkOpen();
    return new RedisStore({
      ...this.#options,
      ...checkIdentity(identity),
      // Nothing below a store that is for reading may be for writing.
      writable: this.writable && identity.writable !== false,
      namespace: [...this.namespace, ...checkNamespace(segments)],
    });
  }

  async namespaces(options?: PageOptions): Promise<Page<NamespaceInfo>> {
    this.#checkOpen();
    return listNamespaces(this.#registry, this.#records, options);
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
