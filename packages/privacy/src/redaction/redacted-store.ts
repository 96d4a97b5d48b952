import type {
  AddMessagesContext,
  GetOptions,
  JsonObjectInput,
  ListOptions,
  MemoryEntry,
  MemoryRecord,
  MemoryTool,
  Message,
  Namespace,
  NamespaceInfo,
  NamespaceListOptions,
  Page,
  RecordInput,
  RecordSearchOptions,
  RecordStore,
  StoreCapabilities,
  StoreIdentity,
} from '@keepsake/core';
import { type PreparedRecord, prepareRecord, prepareRecords, readList, readMessageText } from '@keepsake/core/adapter';
import { withoutUndefined } from '@keepsake/internal';
import { redactJson } from './redact.ts';

/**
 * A record store that redacts what it stores and what it searches for, see `redacted`. Not an `AbstractRecordStore`: that would
 * derive the ids of texts and messages, and find a retry of them, by what they were before.
 */
export class RedactedStore implements RecordStore {
  readonly name: string;
  readonly description?: string;
  readonly maxSearchResults?: number;
  readonly writable: boolean;
  readonly extraction?: boolean | object;
  readonly namespace: Namespace;
  readonly capabilities: StoreCapabilities;
  readonly directory?: string;
  readonly initialize?: () => Promise<void>;
  readonly tools?: () => MemoryTool[];
  readonly compact?: NonNullable<RecordStore['compact']>;
  readonly unidentified?: NonNullable<RecordStore['unidentified']>;
  readonly #store: RecordStore;

  constructor(store: RecordStore) {
    const { name, description, maxSearchResults, writable, extraction, namespace, capabilities, directory } = store;
    this.name = name;
    this.writable = writable;
    this.namespace = namespace;
    this.capabilities = capabilities;
    this.#store = store;
    // A store lacks the methods that it does not need.
    const initialize = store.initialize?.bind(store);
    const tools = store.tools?.bind(store);
    const compact = store.compact?.bind(store);
    const unidentified = store.unidentified?.bind(store);
    Object.assign(
      this,
      withoutUndefined({
        description,
        maxSearchResults,
        extraction,
        directory,
        initialize,
        tools,
        compact,
        unidentified,
      }),
    );
  }

  async search(query: string, options?: RecordSearchOptions): Promise<MemoryEntry[]> {
    return this.#store.search(typeof query === 'string' ? redactJson(query) : query, options);
  }

  async add(content: string, metadata?: JsonObjectInput): Promise<MemoryRecord> {
    const record = redactRecord(prepareRecord({ content, metadata }, 'memory'));
    return this.#store.add(record.content, record.metadata);
  }

  async addMessages(messages: Message[], context?: AddMessagesContext): Promise<MemoryRecord[]> {
    return this.#store.addMessages(readList(messages, 'messages').map(redactMessage), context);
  }

  get(id: string, options?: GetOptions): Promise<MemoryRecord | undefined> {
    return this.#store.get(id, options);
  }

  async put(record: RecordInput, options?: Parameters<RecordStore['put']>[1]): Promise<MemoryRecord> {
    return this.#store.put(redactRecord(prepareRecord(record)), options);
  }

  async putMany(
    records: readonly RecordInput[],
    options?: Parameters<RecordStore['putMany']>[1],
  ): Promise<MemoryRecord[]> {
    return this.#store.putMany(prepareRecords(records).map(redactRecord), options);
  }

  history(id: string): Promise<MemoryRecord[]> {
    return this.#store.history(id);
  }

  delete(id: string, options?: Parameters<RecordStore['delete']>[1]): Promise<boolean> {
    return this.#store.delete(id, options);
  }

  list(options?: ListOptions): Promise<Page<MemoryRecord>> {
    return this.#store.list(options);
  }

  clear(options?: Parameters<RecordStore['clear']>[0]): Promise<number> {
    return this.#store.clear(options);
  }

  within(segments: Namespace, identity?: Partial<StoreIdentity>): RecordStore {
    return new RedactedStore(this.#store.within(segments, identity));
  }

  namespaces(options?: NamespaceListOptions): Promise<Page<NamespaceInfo>> {
    return this.#store.namespaces(options);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function redactRecord(record: PreparedRecord): PreparedRecord {
  return { ...record, content: redactJson(record.content), metadata: redactJson(record.metadata) };
}

/** The text as a whole, because a secret may begin in one block and end in the next. */
function redactMessage(message: Message, index: number): Message {
  const { text, name, ...said } = readMessageText(message, `messages[${index}]`);
  return { ...said, content: redactJson(text), ...(name !== undefined && { name: redactJson(name) }) };
}
