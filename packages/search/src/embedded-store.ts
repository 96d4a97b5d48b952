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
  isWithin,
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
  namespacePage,
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
  uuidv7,
} from '@keepsake/core';
import { checkLanguage } from './check-language.ts';
import { checkEmbedder, embed } from './embed.ts';
import type { Language } from './language.ts';
import type { RecordChange, RecordPlace, RecordSpace, RecordView } from './record-space.ts';
import { type StoredRecord, toRecord } from './stored-record.ts';

/** How to make an embedded store. */
export interface EmbeddedStoreOptions {
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
   * Adds meaning to the ranking, as one more signal: see `searchConversations`. Puts that are not awaited land in the order
   * in which their vectors come.
   */
  readonly embedder?: Embedder;
  /**
   * The language of the records and the queries, whose stop words count less and whose word forms are one; `'none'` for
   * neither. By default each text is of the language that it seems to be in. It is that of all stores over the records,
   * of any namespace.
   */
  readonly language?: Language | undefined;
}

/**
 * A {@link RecordStore} that ranks in this process. The backends that search for themselves are this class over a
 * {@link RecordSpace} of theirs.
 */
export class EmbeddedStore implements RecordStore {
  readonly name: string;
  readonly description?: string;
  readonly maxSearchResults?: number;
  readonly writable: boolean;
  readonly extraction?: boolean | object;
  readonly namespace: Namespace;
  readonly capabilities: StoreCapabilities;
  readonly #space: RecordSpace;
  readonly #place: RecordPlace;
  readonly #embedder: Embedder | undefined;
  readonly #recorder = new MessageRecorder();
  readonly #writes = new Set<Promise<unknown>>();
  #closed = false;

  /** @throws MemoryError `INVALID_ARGUMENT` for a name, limit, namespace, embedder or language that can't be used. */
  constructor(options: EmbeddedStoreOptions, space: RecordSpace) {
    const { name, namespace = [], writable = true, embedder, language } = options;
    Object.assign(this, checkIdentity({ ...options, name: name ?? '' }));
    this.name = name;
    this.writable = writable;
    this.namespace = checkNamespace(namespace);
    checkEmbedder(embedder);
    checkLanguage(language);
    this.capabilities = Object.freeze({
      search: embedder === undefined ? 'lexical' : 'hybrid',
      consistency: 'strong',
      durable: space.durable,
      shared: space.shared,
      atomicBatch: true,
      ttl: true,
      enumerate: true,
      filter: true,
    });
    this.#space = space;
    this.#place = space.open(this.namespace);
    this.#embedder = embedder;
  }

  async search(query: string, options?: SearchOptions): Promise<MemoryEntry[]> {
    this.#checkOpen();
    const { filter, minScore, explain = false, signal } = options ?? {};
    if (typeof query !== 'string') throw new MemoryError('INVALID_ARGUMENT', 'The query is to be a text.');
    const limit = searchLimit(this, options);
    const rules = parseFilter(filter);
    throwIfAborted(signal);
    if (query.trim() === '') return [];
    const [vector] = await this.#embed([query], signal);
    throwIfAborted(signal);
    const search = { query, limit, rules, explain, ...(minScore === undefined ? {} : { minScore }) };
    return this.#place.read((table) => table.search(vector === undefined ? search : { ...search, vector }));
  }

  async get(id: string): Promise<MemoryRecord | undefined> {
    this.#checkOpen();
    checkId(id, 'id');
    return this.#place.read((table) => copyOf(table.get(id)));
  }

  async put(
    record: RecordInput,
    options?: { readonly ifVersion?: number; readonly signal?: AbortSignal },
  ): Promise<MemoryRecord> {
    return this.#writing(async () => {
      checkIfVersion(options?.ifVersion);
      const prepared = prepareRecord(record);
      throwIfAborted(options?.signal);
      const [stored] = await this.#putAll([prepared], options);
      return stored as MemoryRecord;
    });
  }

  async putMany(records: readonly RecordInput[]): Promise<MemoryRecord[]> {
    return this.#writing(async () => this.#putAll(prepareRecords(records)));
  }

  async add(content: string, metadata?: JsonObject): Promise<MemoryRecord> {
    const prepare = () => prepareRecord({ content, ...(metadata === undefined ? {} : { metadata }) }, 'memory');
    return this.#writing(async () => this.#addOnce(prepare()));
  }

  async #addOnce(prepared: PreparedRecord): Promise<MemoryRecord> {
    const { content } = prepared;
    const id = await contentId(content);
    const isKnown = (known: StoredRecord | undefined): known is StoredRecord =>
      known?.content === content && sameMetadata(known.metadata, prepared.metadata);
    // A retry needs no vector, which may cost money.
    const retried = await this.#place.read((table) => isKnown(table.get(id)));
    const [vector] = retried ? [] : await this.#embed([content]);
    let added!: MemoryRecord;
    await this.#place.change((table) => {
      const known = table.get(id);
      const same = isKnown(known);
      const put = same ? known : (table.revise([{ ...prepared, id }], new Date())[0] as StoredRecord);
      added = toRecord(put);
      return same ? [] : [withVector(put, vector)];
    });
    return added;
  }

  async addMessages(messages: Message[], context?: AddMessagesContext): Promise<MemoryRecord[]> {
    return this.#writing(() =>
      // Not through `this`: it may be closed meanwhile.
      this.#recorder.add(
        {
          get: (id) => this.#place.read((table) => copyOf(table.get(id))),
          putMany: async (records) => this.#putAll(prepareRecords(records)),
        },
        messages,
        context,
      ),
    );
  }

  async delete(id: string, options?: { readonly ifVersion?: number }): Promise<boolean> {
    return this.#writing(async () => {
      checkId(id, 'id');
      checkIfVersion(options?.ifVersion);
      let found = false;
      await this.#place.change((table) => {
        found = table.has(id);
        if (!found) return [];
        expectVersionIn(table, id, options?.ifVersion);
        return [{ delete: id }];
      });
      return found;
    });
  }

  async list(options?: ListOptions): Promise<Page<MemoryRecord>> {
    this.#checkOpen();
    throwIfAborted(options?.signal);
    return this.#place.read((table) => table.list(options));
  }

  async clear(options?: { readonly descendants?: boolean }): Promise<number> {
    return this.#writing(async () => {
      let count = await this.#place.clear();
      if (options?.descendants !== true) return count;
      for (const namespace of await this.#namespacesBelow()) count += await this.#space.open(namespace).clear();
      return count;
    });
  }

  within(segments: Namespace, identity: Partial<StoreIdentity> = {}): RecordStore {
    this.#checkOpen();
    const { name, description, maxSearchResults, extraction } = this;
    const own = { name, description, maxSearchResults, extraction };
    return new EmbeddedStore(
      {
        ...(withoutUndefined({ ...own, ...checkIdentity(identity), embedder: this.#embedder }) as { name: string }),
        // Nothing below a store that is for reading may be for writing.
        writable: this.writable && identity.writable !== false,
        namespace: [...this.namespace, ...checkNamespace(segments)],
      },
      this.#space,
    );
  }

  async namespaces(options?: NamespaceListOptions): Promise<Page<NamespaceInfo>> {
    this.#checkOpen();
    const found: NamespaceInfo[] = [];
    for (const namespace of await this.#namespacesBelow()) {
      const recordCount = await this.#space.open(namespace).read((table) => table.size);
      if (recordCount > 0 || options?.empty === true) found.push({ namespace, recordCount });
    }
    return namespacePage(found, options);
  }

  async compact(): Promise<void> {
    return this.#writing(async () => this.#place.compact?.());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writes);
    await this.#place.close?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Runs a write, which `close` waits for. */
  async #writing<T>(write: () => Promise<T>): Promise<T> {
    this.#checkWritable();
    const written = write();
    this.#writes.add(written);
    try {
      return await written;
    } finally {
      this.#writes.delete(written);
    }
  }

  async #putAll(
    inputs: readonly PreparedRecord[],
    options: { readonly ifVersion?: number; readonly signal?: AbortSignal } = {},
  ): Promise<MemoryRecord[]> {
    if (inputs.length === 0) return [];
    // Ids are given before the change, which may be decided more than once.
    const prepared = inputs.map((input) => (input.id === undefined ? { ...input, id: uuidv7() } : input));
    const indexed = prepared.filter(({ index }) => index);
    const texts = indexed.map(({ content }) => content);
    const found = await this.#embed(texts, options.signal);
    const vectors = new Map(found.map((vector, place) => [indexed[place], vector]));
    throwIfAborted(options.signal);
    let stored: StoredRecord[] = [];
    await this.#place.change((table) => {
      const [first] = prepared;
      expectVersionIn(table, first?.id as string, options.ifVersion);
      stored = table.revise(prepared, new Date());
      return stored.map((put, place) => withVector(put, vectors.get(prepared[place])));
    });
    return stored.map(toRecord);
  }

  /** One vector a text; none where there is no embedder. */
  async #embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    return this.#embedder === undefined || texts.length === 0 ? [] : embed(this.#embedder, texts, signal);
  }

  async #namespacesBelow(): Promise<Namespace[]> {
    const all = await this.#space.namespaces();
    return all.filter((namespace) => namespace.length > this.namespace.length && isWithin(namespace, this.namespace));
  }

  #checkOpen(): void {
    if (this.#closed) throw new MemoryError('CLOSED', 'This store was closed. Make a new one.');
  }

  #checkWritable(): void {
    this.#checkOpen();
    if (!this.writable)
      throw new MemoryError('READ_ONLY', 'This store is for reading: it was made with writable: false.');
  }
}

/** Reads the record only where a version is expected: what is damaged can still be deleted. */
function expectVersionIn(table: RecordView, id: string, ifVersion: number | undefined): void {
  if (ifVersion !== undefined) expectVersion(ifVersion, table.get(id)?.version ?? 0);
}

function copyOf(record: StoredRecord | undefined): MemoryRecord | undefined {
  return record && toRecord(record);
}

function withVector(put: StoredRecord, vector: Float32Array | undefined): RecordChange {
  return vector === undefined ? { put } : { put, vector };
}

function sameMetadata(a: JsonObject, b: JsonObject): boolean {
  return canonicalJson(a, 'metadata') === canonicalJson(b, 'metadata');
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
