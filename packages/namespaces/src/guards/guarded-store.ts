import {
  type AddMessagesContext,
  canonicalJson,
  checkNamespace,
  contentId,
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
  type RecordInput,
  type RecordStore,
  type SearchOptions,
  type StoreCapabilities,
  type StoreIdentity,
} from '@keepsake/core';

/** What a capability makes of a place in a store. */
export interface Guard {
  /** Makes a write, or refuses it. Calls it at once: what a caller has passed in must not change before it is read. */
  readonly write: <T>(work: () => Promise<T>) => Promise<T>;
  /** Who writes, where records say so. Such a place is shared: nothing lies below it. */
  readonly writtenBy?: string;
}

/**
 * A place in a store as one principal has it: whatever is asked of it, it is that place, or below it.
 *
 * Closing it closes nothing but itself.
 */
export class GuardedStore implements RecordStore {
  readonly name: string;
  readonly description?: string;
  readonly maxSearchResults?: number;
  readonly writable: boolean;
  readonly extraction?: boolean | object;
  readonly namespace: Namespace;
  readonly capabilities: StoreCapabilities;
  readonly #place: RecordStore;
  readonly #guard: Guard;
  readonly #recorder = new MessageRecorder();
  readonly #writes = new Set<Promise<unknown>>();
  #closed = false;

  constructor(place: RecordStore, guard: Guard) {
    const { name, description, maxSearchResults, writable, extraction, namespace, capabilities } = place;
    this.name = name;
    if (description !== undefined) this.description = description;
    if (maxSearchResults !== undefined) this.maxSearchResults = maxSearchResults;
    if (extraction !== undefined) this.extraction = extraction;
    this.writable = writable;
    this.namespace = namespace;
    this.capabilities = capabilities;
    this.#place = place;
    this.#guard = guard;
  }

  async search(query: string, options?: SearchOptions): Promise<MemoryEntry[]> {
    this.#checkOpen();
    return this.#place.search(query, options);
  }

  async get(id: string): Promise<MemoryRecord | undefined> {
    this.#checkOpen();
    return this.#place.get(id);
  }

  async list(options?: ListOptions): Promise<Page<MemoryRecord>> {
    this.#checkOpen();
    return this.#place.list(options);
  }

  async put(
    record: RecordInput,
    options?: { readonly ifVersion?: number; readonly signal?: AbortSignal },
  ): Promise<MemoryRecord> {
    return this.#write(async () => this.#place.put(this.#stamp(record), options));
  }

  async putMany(records: readonly RecordInput[]): Promise<MemoryRecord[]> {
    return this.#write(async () => this.#putMany(records));
  }

  async add(content: string, metadata?: JsonObject): Promise<MemoryRecord> {
    return this.#write(async () =>
      this.#isShared ? this.#addOnce(content, metadata) : this.#place.add(content, metadata),
    );
  }

  async addMessages(messages: Message[], context?: AddMessagesContext): Promise<MemoryRecord[]> {
    // Not through `this`: it may be closed meanwhile.
    const records = {
      get: (id: string) => this.#place.get(id),
      putMany: (inputs: readonly RecordInput[]) => this.#putMany(inputs),
    };
    return this.#write(() => this.#recorder.add(records, messages, context));
  }

  async delete(id: string, options?: { readonly ifVersion?: number }): Promise<boolean> {
    return this.#write(async () => this.#place.delete(id, options));
  }

  async clear(options?: { readonly descendants?: boolean }): Promise<number> {
    return this.#write(async () => this.#place.clear(this.#isShared ? {} : options));
  }

  within(segments: Namespace, identity?: Partial<StoreIdentity>): RecordStore {
    this.#checkOpen();
    if (this.#isShared && checkNamespace(segments).length > 0) {
      throw new MemoryError('INVALID_ARGUMENT', 'Nothing lies below what is shared. Use another pool or team.');
    }
    return new GuardedStore(this.#place.within(segments, identity), this.#guard);
  }

  async namespaces(options?: NamespaceListOptions): Promise<Page<NamespaceInfo>> {
    this.#checkOpen();
    return this.#isShared ? { items: [] } : this.#place.namespaces(options);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writes);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #isShared(): boolean {
    return this.#guard.writtenBy !== undefined;
  }

  /** Adds a text to what is shared: who wrote it, and when, is no reason to write it again. */
  async #addOnce(content: string, metadata: JsonObject = {}): Promise<MemoryRecord> {
    const input = this.#stamp({ content, metadata });
    const id = await contentId(content);
    const known = typeof content === 'string' && content !== '' ? await this.#place.get(id) : undefined;
    const same = known?.content === content && sameBut('writtenAt', known.metadata, input.metadata ?? {});
    return same ? known : this.#place.put({ ...input, id });
  }

  async #putMany(records: readonly RecordInput[]): Promise<MemoryRecord[]> {
    return this.#place.putMany(Array.isArray(records) ? records.map((record) => this.#stamp(record)) : records);
  }

  /** A record with who writes it, and when. Nobody writes in another's name. */
  #stamp(record: RecordInput): RecordInput {
    const { writtenBy } = this.#guard;
    const { metadata = {} } = record ?? {};
    // What is no record, or holds no metadata, the store refuses with its own words.
    if (writtenBy === undefined || typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
      return record;
    }
    if (Object.hasOwn(metadata, 'writtenBy') && metadata.writtenBy !== writtenBy) {
      throw new MemoryError('INVALID_ARGUMENT', 'metadata.writtenBy is somebody else. Leave it out: it is filled in.');
    }
    return { ...record, metadata: { ...metadata, writtenBy, writtenAt: new Date().toISOString() } };
  }

  async #write<T>(work: () => Promise<T>): Promise<T> {
    this.#checkOpen();
    if (!this.writable) throw new MemoryError('READ_ONLY', `${JSON.stringify(this.name)} is for reading.`);
    const written = this.#guard.write(work);
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

function sameBut(name: string, a: JsonObject, b: JsonObject): boolean {
  const [one, other] = [a, b].map(({ [name]: _, ...rest }) => canonicalJson(rest, 'metadata'));
  return one === other;
}
