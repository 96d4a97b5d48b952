import { expectKnownFields } from '../common/check-fields.ts';
import { MemoryError } from '../common/errors.ts';
import { expect } from '../common/expect.ts';
import { checkId, quoted } from '../common/text.ts';
import { uuidv7 } from '../common/uuid.ts';
import type { JsonObjectInput } from '../json/json.ts';
import type { Message } from '../model/message.ts';
import { type Filter, type FilterRule, parseFilter } from '../store/filter.ts';
import type { AddMessagesContext, MemoryEntry } from '../store/memory-store.ts';
import { contentId, MessageRecorder } from '../store/message-records.ts';
import { checkNamespace, type Namespace } from '../store/namespace.ts';
import { type Page, pageLimit } from '../store/page.ts';
import { type PreparedRecord, prepareRecord, prepareRecords } from '../store/record-input.ts';
import type {
  ListOptions,
  MemoryRecord,
  NamespaceInfo,
  NamespaceListOptions,
  RecordInput,
  RecordSearchOptions,
  RecordStore,
  StoreCapabilities,
  StoreIdentity,
} from '../store/record-store.ts';
import type { StoreExtraction } from '../store/store-extraction.ts';
import { checkIdentity, checkIfVersion, searchLimit, throwIfAborted } from '../store/store-options.ts';
import type { IdentifiedRecord, NamespaceRecords, PutOptions, RecordBackend } from './record-backend.ts';
import { RecordTree } from './record-tree.ts';
import { CLEAR, DELETE, IDENTITY, LIST, MESSAGES, NAMESPACES, PUT, RECORD_SEARCH } from './store-fields.ts';

/** The options that every record store has. */
export interface RecordStoreOptions {
  /** Identifies the store among those of an agent. */
  readonly name: string;
  /** What the store holds, for people and models. */
  readonly description?: string | undefined;
  /**
   * The place of the store in the tree of namespaces.
   *
   * @default [] (the root)
   */
  readonly namespace?: Namespace | undefined;
  /** @default true */
  readonly writable?: boolean | undefined;
  /**
   * How many entries a search returns if the caller sets no limit.
   *
   * @default 10
   */
  readonly maxSearchResults?: number | undefined;
  /**
   * Whether and how a manager feeds conversations to the store.
   *
   * @default false
   */
  readonly extraction?: StoreExtraction | undefined;
}

/**
 * A whole {@link RecordStore} over the few methods that a backend implements, see {@link RecordBackend}. It checks options
 * and arguments, refuses what the capabilities exclude, what a closed or read-only store can't do, and option fields that it
 * does not know.
 *
 * @example
 * const OPTIONS: FieldNames<MyStoreOptions> = { ...STORE_OPTIONS, client: true };
 *
 * class MyStore extends AbstractRecordStore {
 *   constructor(options: MyStoreOptions) {
 *     expectKnownFields(options, OPTIONS);
 *     super(options, { capabilities, open: (namespace) => new MyRecords(options.client, namespace) });
 *   }
 * }
 */
export abstract class AbstractRecordStore implements RecordStore {
  readonly name: string;
  readonly description?: string;
  readonly maxSearchResults?: number;
  readonly writable: boolean;
  // Not `StoreExtraction`: Strands' `MemoryStore` takes Strands' settings alone, and every store must be one.
  readonly extraction?: boolean | object;
  readonly namespace: Namespace;
  readonly capabilities: StoreCapabilities;
  readonly #backend: RecordBackend;
  readonly #records: NamespaceRecords;
  readonly #tree: RecordTree;
  readonly #recorder = new MessageRecorder();
  readonly #writes = new Set<Promise<unknown>>();
  #closed = false;

  /** @throws MemoryError `INVALID_ARGUMENT` for an invalid identity or namespace. */
  constructor(options: RecordStoreOptions, backend: RecordBackend) {
    const { name, namespace = [], writable = true } = options;
    Object.assign(this, checkIdentity({ ...options, name: name ?? '' }));
    this.name = name;
    this.writable = writable;
    this.namespace = checkNamespace(namespace);
    this.capabilities = Object.freeze({ ...backend.capabilities });
    this.#backend = backend;
    this.#records = backend.open(this.namespace);
    this.#tree = new RecordTree(this.namespace, this.#records, backend.open.bind(backend));
  }

  async search(query: string, options: RecordSearchOptions = {}): Promise<MemoryEntry[]> {
    this.#checkOpen();
    expectKnownFields(options, RECORD_SEARCH);
    expect(typeof query === 'string', 'The query must be a text.');
    const { descendants, maxSearchResults, minScore = -Infinity, explain = false, ...given } = options;
    const { signal } = given;
    const limit = searchLimit(this, options);
    const rules = this.#parseFilter(options.filter);
    const records = this.#recordsFor(descendants);
    throwIfAborted(signal);
    if (query.trim() === '') return [];
    const entries = await records.search({ ...given, query, limit, rules, minScore, explain });
    throwIfAborted(signal);
    return entries as MemoryEntry[];
  }

  async get(id: string): Promise<MemoryRecord | undefined> {
    this.#checkOpen();
    checkId(id, 'id');
    return this.#records.get(id);
  }

  async put(
    record: RecordInput,
    options: { readonly ifVersion?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<MemoryRecord> {
    return this.write(async () => {
      expectKnownFields(options, PUT);
      const { ifVersion, signal } = options;
      checkIfVersion(ifVersion);
      const prepared = prepareRecord(record);
      throwIfAborted(signal);
      const [put] = await this.#put([prepared], { ifVersion, signal });
      return put as MemoryRecord;
    });
  }

  async putMany(records: readonly RecordInput[]): Promise<MemoryRecord[]> {
    return this.write(() => this.#putMany(records));
  }

  async add(content: string, metadata?: JsonObjectInput): Promise<MemoryRecord> {
    return this.write(async () => {
      const prepared = prepareRecord({ content, ...(metadata === undefined ? {} : { metadata }) }, 'memory');
      const id = await contentId(prepared.content);
      const [added] = await this.#put([{ ...prepared, id }], { unlessSame: true });
      return added as MemoryRecord;
    });
  }

  async addMessages(messages: Message[], context: AddMessagesContext = {}): Promise<MemoryRecord[]> {
    // Not through `this`, which may be closed before the last of them is written.
    const records = {
      get: async (id: string) => this.#records.get(id),
      putMany: (inputs: readonly RecordInput[]) => this.#putMany(inputs),
    };
    return this.write(async () => {
      expectKnownFields(context, MESSAGES);
      return this.#recorder.add(records, messages, context);
    });
  }

  async delete(id: string, options: { readonly ifVersion?: number | undefined } = {}): Promise<boolean> {
    return this.write(async () => {
      checkId(id, 'id');
      expectKnownFields(options, DELETE);
      checkIfVersion(options.ifVersion);
      return this.#records.delete(id, options.ifVersion);
    });
  }

  async list(options: ListOptions = {}): Promise<Page<MemoryRecord>> {
    this.#checkOpen();
    this.#checkEnumerates();
    expectKnownFields(options, LIST);
    const { descendants, order = 'newest', ...given } = options;
    const { idPrefix, signal } = given;
    expect(order === 'newest' || order === 'oldest', "order must be 'newest' or 'oldest'.");
    if (idPrefix !== undefined) checkId(idPrefix, 'idPrefix');
    const limit = pageLimit(options);
    const rules = this.#parseFilter(options.filter);
    const records = this.#recordsFor(descendants);
    throwIfAborted(signal);
    return records.list({ ...given, limit, order, rules });
  }

  async clear(options: { readonly descendants?: boolean | undefined } = {}): Promise<number> {
    return this.write(async () => {
      expectKnownFields(options, CLEAR);
      return this.#records.clear(options.descendants === true);
    });
  }

  within(segments: Namespace, identity: Partial<StoreIdentity> = {}): RecordStore {
    this.#checkOpen();
    expectKnownFields(identity, IDENTITY, 'identity');
    const { name, description, maxSearchResults, extraction } = this;
    return new StoreWithin(
      {
        ...{ name, description, maxSearchResults, extraction },
        ...checkIdentity(identity),
        // Nothing below a read-only store may be writable.
        writable: this.writable && identity.writable !== false,
        namespace: [...this.namespace, ...checkNamespace(segments)],
      },
      this.#backend,
    );
  }

  async namespaces(options: NamespaceListOptions = {}): Promise<Page<NamespaceInfo>> {
    this.#checkOpen();
    this.#checkEnumerates();
    expectKnownFields(options, NAMESPACES);
    const { empty = false, cursor } = options;
    return this.#tree.namespaces({ cursor, limit: pageLimit(options), empty });
  }

  async compact(): Promise<void> {
    await this.write(async () => this.#records.compact?.());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writes);
    await this.#records.close?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Starts a write, which `close` waits for. For the writes that a backend has beside those of the contract.
   *
   * @throws MemoryError `CLOSED` or `READ_ONLY` if this store takes no writes.
   */
  protected async write<T>(start: () => Promise<T>): Promise<T> {
    this.#checkOpen();
    if (!this.writable) {
      const name = quoted(this.name);
      throw new MemoryError('READ_ONLY', `${name} is read-only, because it was opened with \`writable: false\`.`);
    }
    const written = this.#backend.write?.(start) ?? start();
    this.#writes.add(written);
    try {
      return await written;
    } finally {
      this.#writes.delete(written);
    }
  }

  async #putMany(records: readonly RecordInput[]): Promise<MemoryRecord[]> {
    const prepared = prepareRecords(records);
    return prepared.length === 0 ? [] : [...(await this.#put(prepared, {}))];
  }

  #put(records: readonly PreparedRecord[], options: PutOptions): Promise<readonly MemoryRecord[]> {
    if (!this.capabilities.ttl && records.some(({ ttlMs }) => ttlMs !== undefined)) {
      throw new MemoryError('UNSUPPORTED', 'This store keeps records until they are deleted. Leave out `ttlMs`.');
    }
    return this.#records.put(records.map(withId), options);
  }

  /** The records to list or to search. */
  #recordsFor(descendants: boolean | undefined): Pick<NamespaceRecords, 'list' | 'search'> {
    expect(descendants === undefined || typeof descendants === 'boolean', '`descendants` must be true or false.');
    if (!descendants) return this.#records;
    this.#checkEnumerates();
    return this.#tree;
  }

  #parseFilter(filter: Filter | undefined): FilterRule[] {
    if (filter !== undefined && !this.capabilities.filter) {
      throw new MemoryError('UNSUPPORTED', 'This store can not filter. Leave out `filter`.');
    }
    return parseFilter(filter);
  }

  #checkEnumerates(): void {
    if (this.capabilities.enumerate) return;
    throw new MemoryError('UNSUPPORTED', 'This store can not list what it holds. Use `get` and `search`.');
  }

  #checkOpen(): void {
    if (this.#closed) throw new MemoryError('CLOSED', 'This store was closed. Make a new one.');
  }
}

/** A step down the tree, on the same backend. */
class StoreWithin extends AbstractRecordStore {}

function withId(record: PreparedRecord): IdentifiedRecord {
  return record.id === undefined ? { ...record, id: uuidv7() } : (record as IdentifiedRecord);
}
