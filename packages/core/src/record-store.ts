import type { Filter } from './filter.ts';
import type { JsonObject } from './json.ts';
import type { AddMessagesContext, MemoryEntry, MemoryStore, SearchOptions, Turn } from './memory-store.ts';
import type { Message } from './message.ts';
import type { Namespace } from './namespace.ts';
import type { Page, PageOptions } from './page.ts';

/**
 * A memory store whose records can be read and changed one by one: what the Keepsake backends are.
 *
 * A store is a place in a tree of namespaces and sees exactly its own: not its parents', its children's, or those of a
 * sibling whose name begins alike. {@link RecordStore.within} steps down; nothing steps up or sideways.
 *
 * What goes in or comes out is never shared with the store. A failure is never disguised as "not there".
 */
export interface RecordStore extends MemoryStore {
  /** The place of this store in the tree. */
  readonly namespace: Namespace;
  /** What this backend can do. What it can't is refused with `UNSUPPORTED`. */
  readonly capabilities: StoreCapabilities;

  search(query: string, options?: SearchOptions): Promise<MemoryEntry[]>;

  /**
   * Remembers one text under an id derived from it. The same content and metadata again change nothing; the same
   * content with other metadata replaces the metadata.
   */
  add(content: string, metadata?: JsonObject): Promise<MemoryRecord>;

  /**
   * Remembers each message that says something, with its `turn`, in one batch; messages without text are skipped.
   *
   * Idempotent by run and sequence number; without sequence numbers every call adds anew. `thread` or `runId` without
   * sequence numbers is `INVALID_ARGUMENT`: a retry could not be told from new messages.
   */
  addMessages(messages: Message[], context?: AddMessagesContext): Promise<MemoryRecord[]>;

  /** The record of that id, or `undefined`. */
  get(id: string): Promise<MemoryRecord | undefined>;

  /**
   * Creates the record, or replaces it whole where its id is known: `createdAt` stays and `version` rises by one.
   *
   * @throws MemoryError `CONFLICT` when the record's version is not `ifVersion` (0 = it must not be there).
   */
  put(
    record: RecordInput,
    options?: { readonly ifVersion?: number; readonly signal?: AbortSignal },
  ): Promise<MemoryRecord>;

  /**
   * Puts many records, in their order; the result is in that order too. All or none where `capabilities.atomicBatch`.
   * An id that comes twice is put twice.
   */
  putMany(records: readonly RecordInput[]): Promise<MemoryRecord[]>;

  /**
   * Removes a record, and says whether it was there.
   *
   * @throws MemoryError `CONFLICT` when it is there in another version than `ifVersion`.
   */
  delete(id: string, options?: { readonly ifVersion?: number }): Promise<boolean>;

  /** The records in the order of their creation. Pages neither repeat nor skip a record that is there all the while. */
  list(options?: ListOptions): Promise<Page<MemoryRecord>>;

  /** Removes all records here, and below here with `descendants`. Returns how many there were. */
  clear(options?: { readonly descendants?: boolean }): Promise<number>;

  /**
   * The store at a place below this one, on the same connection. It keeps this store's identity but for what is given;
   * a read-only store gives read-only stores. `[]` is this same place.
   */
  within(segments: Namespace, identity?: Partial<StoreIdentity>): RecordStore;

  /** The namespaces strictly below this one that hold records, in a stable order, with their counts. */
  namespaces(options?: NamespaceListOptions): Promise<Page<NamespaceInfo>>;

  /**
   * Leaves nothing in storage of what was deleted here, replaced, or has expired; what is here stays as it is. Stores that
   * leave nothing of it in the first place may lack this.
   */
  compact?(): Promise<void>;

  /** Lets go of what this store opened itself, and waits for its writes. Later calls are refused with `CLOSED`. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Something remembered. Times are ISO 8601 with milliseconds, in UTC. */
export interface MemoryRecord {
  readonly id: string;
  readonly content: string;
  readonly metadata: JsonObject;
  /** 1 at creation, one more at each replacement. */
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** From then on the record is gone. */
  readonly expiresAt?: string;
  readonly turn?: Turn;
}

/** What to remember. */
export interface RecordInput {
  /** 1 to 512 characters, no NUL, no lone surrogates. A fresh UUID version 7 where none is given. */
  readonly id?: string;
  /** Not blank, up to 1 MiB of UTF-8. */
  readonly content: string;
  /** Up to 64 KiB of JSON. */
  readonly metadata?: JsonObject;
  /** When it was said or made: ISO 8601 with `Z` or an offset. By default now. Ignored when a record is replaced. */
  readonly createdAt?: string;
  /** How long it lives, from now: a whole number of milliseconds, 1 or more. By default for ever. */
  readonly ttlMs?: number;
  /** `false` keeps it out of search. */
  readonly index?: boolean;
  readonly turn?: Turn;
}

/** Which namespaces to list. */
export interface NamespaceListOptions extends PageOptions {
  /**
   * Also those that hold no record, with a count of 0, as long as storage may have something of them, such as what has
   * expired; after `clear` nothing is left of one. Default false.
   */
  readonly empty?: boolean;
}

/** Which records to list. */
export interface ListOptions extends PageOptions {
  /** By default the newest first. The order is that of creation in the store, whatever `createdAt` says. */
  readonly order?: 'newest' | 'oldest';
  readonly filter?: Filter;
  readonly signal?: AbortSignal;
}

/** A namespace that holds records. */
export interface NamespaceInfo {
  /** The whole path, from the root. */
  readonly namespace: Namespace;
  readonly recordCount: number;
}

/** How a store presents itself to agents. */
export interface StoreIdentity {
  readonly name: string;
  readonly description: string;
  readonly maxSearchResults: number;
  readonly writable: boolean;
  readonly extraction: boolean | object;
}

/** What a backend can do. A "no" is refused loudly, with `UNSUPPORTED`. */
export interface StoreCapabilities {
  /** How it ranks: by words, by meaning, or by both. */
  readonly search: 'lexical' | 'semantic' | 'hybrid';
  /** Whether a write is seen by the next read, or only after a while. */
  readonly consistency: 'strong' | 'eventual';
  /** Whether records outlive the process. */
  readonly durable: boolean;
  /** Whether several processes can work on the same records. */
  readonly shared: boolean;
  /** Whether `putMany` lands all or none. */
  readonly atomicBatch: boolean;
  /** Whether it takes `ttlMs`. */
  readonly ttl: boolean;
  /** Whether it has `list` and `namespaces`. */
  readonly enumerate: boolean;
  /** Whether search and list take a `filter`. */
  readonly filter: boolean;
}
