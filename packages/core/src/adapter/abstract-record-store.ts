import { isObject, quoted, untilAborted } from '@keepsake/internal';
import { expectKnownFields } from '../common/check-fields.ts';
import { isMemoryError, MemoryError } from '../common/errors.ts';
import { expect } from '../common/expect.ts';
import { guarded, readList } from '../common/read-values.ts';
import { checkId } from '../common/text.ts';
import { checkTime } from '../common/time.ts';
import { uuidv7 } from '../common/uuid.ts';
import type { JsonObjectInput } from '../json/json.ts';
import type { Message } from '../model/message.ts';
import { copyFilter, type Filter, parseFilter } from '../store/filter.ts';
import type { AddMessagesContext, MemoryEntry } from '../store/memory-store.ts';
import { contentId, MessageRecorder } from '../store/message-records.ts';
import { checkNamespace, expectSegment, type Namespace } from '../store/namespace.ts';
import { type Page, pageLimit } from '../store/page.ts';
import { type PreparedRecord, prepareRecord, prepareRecords } from '../store/record-input.ts';
import type {
  CompactOptions,
  GetOptions,
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
import type { IdentifiedRecord, NamespaceRecords, PutOptions, RecordBackend, RecordList } from './record-backend.ts';
import { RecordHistory } from './record-history.ts';
import { RecordTree } from './record-tree.ts';
import {
  CLEAR,
  COMPACT,
  DELETE,
  GET,
  IDENTITY,
  LIST,
  MESSAGES,
  NAMESPACES,
  PUT,
  PUT_MANY,
  RECORD_SEARCH,
} from './store-fields.ts';

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
  readonly directory?: string;
  readonly #backend: RecordBackend;
  readonly #records: NamespaceRecords;
  readonly #tree: RecordTree;
  readonly #recorder = new MessageRecorder();
  readonly #writes = new Set<Promise<unknown>>();
  #closed = false;

  /** @throws MemoryError `INVALID_ARGUMENT` for an invalid identity or namespace. */
  constructor(options: RecordStoreOptions, backend: RecordBackend) {
    const { namespace = [], ...identity } = guarded('The options', () => identityOf(options));
    const { name, writable = true } = identity;
    Object.assign(this, checkIdentity({ ...identity, name: name ?? '' }));
    this.name = name;
    this.writable = writable;
    this.namespace = checkNamespace(namespace);
    this.capabilities = Object.freeze({ ...backend.capabilities });
    if (backend.directory !== undefined) this.directory = backend.directory;
    this.#backend = backend;
    const open = (at: Namespace) => openRecords(backend, at);
    this.#records = open(this.namespace);
    this.#tree = new RecordTree(this.namespace, this.#records, open);
  }

  async search(query: string, options: RecordSearchOptions = {}): Promise<MemoryEntry[]> {
    this.#checkOpen();
    const { descendants, maxSearchResults, ...searchOptions } = expectKnownFields(options, RECORD_SEARCH);
    expect(typeof query === 'string', 'The query must be a text.');
    const { signal, minScore = -Infinity, explain = false } = searchOptions;
    const limit = searchLimit(this, { ...searchOptions, maxSearchResults });
    const filtered = this.#parseFilter(searchOptions.filter);
    const records = this.#recordsFor(descendants);
    throwIfAborted(signal);
    if (query.trim() === '') return [];
    const search = { ...searchOptions, ...filtered, query, limit, minScore, explain };
    const entries = await readUntilAborted(signal, () => records.search(search));
    throwIfAborted(signal);
    return entries as MemoryEntry[];
  }

  async get(id: string, options: GetOptions = {}): Promise<MemoryRecord | undefined> {
    this.#checkOpen();
    checkId(id, 'id');
    const { asOf } = expectKnownFields(options, GET);
    return this.#records.get(id, this.#checkAsOf(asOf));
  }

  async history(id: string): Promise<MemoryRecord[]> {
    this.#checkOpen();
    checkId(id, 'id');
    this.#checkHistory();
    return [...((await this.#records.history?.(id)) ?? [])];
  }

  async put(
    record: RecordInput,
    options: { readonly ifVersion?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<MemoryRecord> {
    return this.write(async () => {
      const { ifVersion, signal } = expectKnownFields(options, PUT);
      checkIfVersion(ifVersion);
      const prepared = prepareRecord(record);
      throwIfAborted(signal);
      const [put] = await this.#put([{ ...prepared, ifVersion }], { signal });
      return put as MemoryRecord;
    });
  }

  async putMany(
    records: readonly RecordInput[],
    options: { readonly ifVersions?: Readonly<Record<string, number | undefined>> | undefined } = {},
  ): Promise<MemoryRecord[]> {
    return this.write(async () => {
      const { ifVersions } = expectKnownFields(options, PUT_MANY);
      const prepared = prepareRecords(records);
      const versioned = ifVersions === undefined ? prepared : this.#withVersions(prepared, ifVersions);
      return prepared.length === 0 ? [] : [...(await this.#put(versioned, {}))];
    });
  }

  async add(content: string, metadata?: JsonObjectInput): Promise<MemoryRecord> {
    return this.write(async () => {
      const prepared = prepareRecord({ content, ...(metadata === undefined ? {} : { metadata }) }, 'memory');
      for (let repeat = 0; ; repeat++) {
        const id = await this.#hiddenId(await contentId(prepared.content, repeat));
        const [added] = (await this.#unlessClosed([{ ...prepared, id }], { unlessSame: true })) ?? [];
        if (added !== undefined) return added;
      }
    });
  }

  async addMessages(messages: Message[], context: AddMessagesContext = {}): Promise<MemoryRecord[]> {
    // Not through `this`, which may be closed before the last of them is written.
    const records = {
      get: async (id: string) => this.#records.get(await this.#hiddenId(id)),
      putMany: async (inputs: readonly RecordInput[]) => {
        const prepared = prepareRecords(inputs) as IdentifiedRecord[];
        const ids = await Promise.all(prepared.map(({ id }) => this.#hiddenId(id)));
        return this.#putOpen(prepared.map((record, at) => ({ ...record, id: ids[at] as string })));
      },
    };
    return this.write(async () => this.#recorder.add(records, messages, expectKnownFields(context, MESSAGES)));
  }

  async delete(
    id: string,
    options: { readonly ifVersion?: number | undefined; readonly alone?: boolean | undefined } = {},
  ): Promise<boolean> {
    return this.write(async () => {
      checkId(id, 'id');
      const { ifVersion, alone } = expectKnownFields(options, DELETE);
      checkIfVersion(ifVersion);
      return this.#records.delete(id, { ifVersion, alone });
    });
  }

  async list(options: ListOptions = {}): Promise<Page<MemoryRecord>> {
    this.#checkOpen();
    this.#checkEnumerates();
    const { descendants, order = 'newest', ...listOptions } = expectKnownFields(options, LIST);
    const { idPrefix, signal, history } = listOptions;
    const asOf = this.#checkAsOf(listOptions.asOf);
    expect(history === undefined || typeof history === 'boolean', '`history` must be true or false.');
    expect(!history || asOf === undefined, 'Pass `asOf` or `history`, not both.');
    expect(order === 'newest' || order === 'oldest', "order must be 'newest' or 'oldest'.");
    if (idPrefix !== undefined) checkId(idPrefix, 'idPrefix');
    const limit = pageLimit(listOptions);
    const filtered = this.#parseFilter(listOptions.filter);
    const records = this.#recordsFor(descendants);
    throwIfAborted(signal);
    return readUntilAborted(signal, () => records.list({ ...listOptions, ...filtered, asOf, limit, order }));
  }

  async clear(options: { readonly descendants?: boolean | undefined } = {}): Promise<number> {
    return this.write(async () => {
      const { descendants } = expectKnownFields(options, CLEAR);
      return this.#records.clear(descendants === true);
    });
  }

  within(segments: Namespace, identity: Partial<StoreIdentity> = {}): RecordStore {
    this.#checkOpen();
    const checkedIdentity = checkIdentity(expectKnownFields(identity, IDENTITY, 'identity'));
    const { name, description, maxSearchResults, extraction } = this;
    return new StoreWithin(
      {
        ...{ name, description, maxSearchResults, extraction },
        ...checkedIdentity,
        // Nothing below a read-only store may be writable.
        writable: this.writable && checkedIdentity.writable !== false,
        namespace: [...this.namespace, ...checkNamespace(segments)],
      },
      this.#backend,
    );
  }

  async namespaces(options: NamespaceListOptions = {}): Promise<Page<NamespaceInfo>> {
    this.#checkOpen();
    this.#checkEnumerates();
    const { empty = false, segment, notBelow: ends, cursor, limit } = expectKnownFields(options, NAMESPACES);
    if (segment !== undefined) expectSegment(segment);
    const notBelow = ends === undefined ? undefined : readList(ends, '`notBelow`');
    for (const end of notBelow ?? []) expectSegment(end, 'notBelow');
    return this.#tree.namespaces({ cursor, limit: pageLimit({ limit }), empty, segment, notBelow });
  }

  async compact(options: CompactOptions = {}): Promise<void> {
    await this.write(async () => {
      expectKnownFields(options, COMPACT);
      const { discard } = options;
      expect(discard === undefined || typeof discard === 'function', '`discard` must be a function.');
      await this.#records.compact?.({ discard });
    });
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

  /** The records of a batch, with the versions that they must have. */
  #withVersions(
    records: readonly PreparedRecord[],
    ifVersions: Readonly<Record<string, number | undefined>>,
  ): NamedRecord[] {
    const entries = guarded('`ifVersions`', () => {
      expect(
        isObject(ifVersions),
        '`ifVersions` must be an object with a version for each id, such as { summary: 3 }.',
      );
      return Object.entries(ifVersions);
    });
    const versions = new Map(entries.filter(([, version]) => version !== undefined));
    if (!this.capabilities.atomicBatch) {
      throw new MemoryError(
        'UNSUPPORTED',
        'This store puts the records of a batch one by one. Use `put` with `ifVersion`.',
      );
    }
    const versioned = records.map((record) => {
      const { id = '' } = record;
      const ifVersion = versions.get(id);
      checkIfVersion(ifVersion);
      // Only for the first record with this id: the others replace that one.
      versions.delete(id);
      return { ...record, ifVersion };
    });
    const [other] = versions.keys();
    expect(other === undefined, '`ifVersions` has an id that no record of the batch has.');
    return versioned;
  }

  async #hiddenId(id: string): Promise<string> {
    return this.#records.hiddenId?.(id) ?? id;
  }

  /** Puts messages. A message that was closed since it was added stays closed. */
  async #putOpen(records: readonly IdentifiedRecord[]): Promise<MemoryRecord[]> {
    const put = records.length === 0 ? [] : await this.#unlessClosed(records, {});
    if (put !== undefined) return [...put];
    const versions = await Promise.all(records.map(({ id }) => this.#records.get(id)));
    const others = await this.#putOpen(records.filter((_, at) => versions[at]?.validUntil === undefined));
    return versions.map((record) => (record?.validUntil === undefined ? (others.shift() as MemoryRecord) : record));
  }

  /** Puts records, or returns `undefined` if one of them is closed. */
  async #unlessClosed(
    records: readonly IdentifiedRecord[],
    options: PutOptions,
  ): Promise<readonly MemoryRecord[] | undefined> {
    try {
      return await this.#put(records, options);
    } catch (error) {
      if (!this.capabilities.history || !isMemoryError(error, 'CONFLICT')) throw error;
      for (const { id } of records) if ((await this.#records.get(id))?.validUntil !== undefined) return undefined;
      throw error;
    }
  }

  #put(records: readonly NamedRecord[], options: PutOptions): Promise<readonly MemoryRecord[]> {
    if (
      records.some(({ supersedes, validFrom, validUntil }) => (supersedes ?? validFrom ?? validUntil) !== undefined)
    ) {
      this.#checkHistory();
    }
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

  /** A copy of a filter, and its rules. */
  #parseFilter(filter: Filter | undefined): Pick<RecordList, 'filter' | 'rules'> {
    if (filter !== undefined && !this.capabilities.filter) {
      throw new MemoryError('UNSUPPORTED', 'This store can not filter. Leave out `filter`.');
    }
    const copy = copyFilter(filter);
    return { filter: copy, rules: parseFilter(copy) };
  }

  #checkEnumerates(): void {
    if (this.capabilities.enumerate) return;
    throw new MemoryError('UNSUPPORTED', 'This store can not list what it holds. Use `get` and `search`.');
  }

  /** Checks a time and returns it in the format of records. */
  #checkAsOf(asOf: string | undefined): string | undefined {
    if (asOf !== undefined) this.#checkHistory();
    return checkTime(asOf, 'asOf');
  }

  #checkHistory(): void {
    if (this.capabilities.history) return;
    throw new MemoryError(
      'UNSUPPORTED',
      'This store keeps no histories. Leave out `supersedes`, `validFrom`, `validUntil` and `asOf`.',
    );
  }

  #checkOpen(): void {
    if (this.#closed) throw new MemoryError('CLOSED', 'This store was closed. Make a new one.');
  }
}

/** Reads, but does not wait any longer once the signal is aborted: what it waits for may serve other calls, too. */
async function readUntilAborted<T>(signal: AbortSignal | undefined, read: () => Promise<T>): Promise<T> {
  if (signal === undefined) return read();
  try {
    return await untilAborted(signal, read);
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  }
}

/** A step down the tree, on the same backend. */
class StoreWithin extends AbstractRecordStore {}

/** Reads the options that every store has. */
function identityOf(options: RecordStoreOptions): RecordStoreOptions {
  const { name, description, namespace, writable, maxSearchResults, extraction } = options;
  return { name, description, namespace, writable, maxSearchResults, extraction };
}

/** The records of a namespace, with their histories unless they come from a store that keeps them. */
function openRecords(backend: RecordBackend, namespace: Namespace): NamespaceRecords {
  const records = backend.open(namespace);
  return backend.capabilities.history && records.history === undefined ? new RecordHistory(records) : records;
}

/** A record to put, perhaps without an id yet. */
type NamedRecord = PreparedRecord & Pick<IdentifiedRecord, 'ifVersion'>;

function withId(record: NamedRecord): IdentifiedRecord {
  return record.id === undefined ? { ...record, id: uuidv7() } : (record as IdentifiedRecord);
}
