import type { JsonObject, JsonObjectInput } from '../json/json.ts';
import type { Message } from '../model/message.ts';
import type { Filter } from './filter.ts';
import type { AddMessagesContext, MemoryEntry, MemoryStore, SearchOptions, Turn } from './memory-store.ts';
import type { Namespace } from './namespace.ts';
import type { Page, PageOptions } from './page.ts';
import type { RecordSource } from './record-source.ts';
import type { StoreExtraction } from './store-extraction.ts';

/**
 * A memory store whose records can be read and changed individually. All Keepsake backends are record stores.
 *
 * A store is a place in a tree of namespaces and sees exactly its own: not its parents' or children's, or a sibling's with
 * the same prefix. {@link RecordStore.within} steps down; nothing steps up or sideways.
 *
 * Arguments and results are never shared with the store. Each value of an argument is read once, before anything is written;
 * if its getter or proxy throws, the call is refused with `INVALID_ARGUMENT` and that error as the cause. A failure never
 * looks like a missing record.
 */
export interface RecordStore extends MemoryStore {
  /** The place of this store in the tree. */
  readonly namespace: Namespace;
  /** The capabilities of this backend. Anything else is refused with `UNSUPPORTED`. */
  readonly capabilities: StoreCapabilities;
  /**
   * The absolute path of the directory with Keepsake's files that this store reads and writes, for programs that check or back
   * up files. The same for the stores that `within` returns. Missing where there is none.
   */
  readonly directory?: string;

  /**
   * Finds records that match a text, best first, newest first on ties; `[]` for a blank query. The query is always literal
   * text, never a query language. Each entry is a version that matched at a moment of the search; a record that changes
   * meanwhile can be missing.
   */
  search(query: string, options?: RecordSearchOptions): Promise<MemoryEntry[]>;

  /**
   * Adds a text under an id derived from it. Adding the same content and metadata again changes nothing; other metadata
   * replaces the metadata.
   */
  add(content: string, metadata?: JsonObjectInput): Promise<MemoryRecord>;

  /**
   * Adds each message with text, with its `turn`, in one batch. Skips messages without text.
   *
   * Idempotent by run and sequence number; without sequence numbers, every call adds again. `thread` or `runId` without
   * sequence numbers is `INVALID_ARGUMENT`, because a retry could not be told from new messages.
   */
  addMessages(messages: Message[], context?: AddMessagesContext): Promise<MemoryRecord[]>;

  /**
   * The record with that id, or `undefined`. Also returns closed records: `validUntil` tells. With `asOf`, returns the version
   * of it that held at that time, whatever its id.
   */
  get(id: string, options?: GetOptions): Promise<MemoryRecord | undefined>;

  /**
   * Creates the record, or replaces an existing one as a whole: `createdAt` stays and `version` rises by one. A replacement
   * leaves no history. To keep what was known before, put a new record that `supersedes` the old one.
   *
   * @throws MemoryError `CONFLICT` if the record's version is not `ifVersion` (0 = it must not exist). With `supersedes`,
   *   `ifVersion` is the version of the superseded record. Also `CONFLICT` if the record is closed, if what it supersedes is
   *   missing or closed, or if it supersedes another record under an id that is taken.
   */
  put(
    record: RecordInput,
    options?: { readonly ifVersion?: number | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<MemoryRecord>;

  /**
   * Puts records in order and returns them in order. All or none if `capabilities.atomicBatch`, which `ifVersions` needs: by
   * id, the versions that records of the batch must have, as `ifVersion` of {@link put}. A repeated id is put repeatedly, and
   * its version is compared once.
   *
   * @throws MemoryError `TOO_LARGE` for more than 10,000 records, or contents of more than 128 MiB together; what {@link put}
   *   throws.
   */
  putMany(
    records: readonly RecordInput[],
    options?: { readonly ifVersions?: Readonly<Record<string, number | undefined>> | undefined },
  ): Promise<MemoryRecord[]>;

  /**
   * All versions of the record with that id, oldest first, from what it superseded to what superseded it; `[]` if there is
   * none. Each version is as it was at some moment of the call: one that is added or deleted meanwhile can be there or not, and
   * with it those beyond it. Needs `capabilities.history`.
   */
  history(id: string): Promise<MemoryRecord[]>;

  /**
   * Removes a record for good, with all versions in its {@link RecordStore.history}, whichever id is given. Returns whether it
   * existed. A deletion that was interrupted continues when repeated with the same id. With `alone`, the other versions stay.
   *
   * @throws MemoryError `CONFLICT` if it exists with another version than `ifVersion`.
   */
  delete(
    id: string,
    options?: { readonly ifVersion?: number | undefined; readonly alone?: boolean | undefined },
  ): Promise<boolean>;

  /**
   * Lists the records that hold now, by creation in the store. Pages never repeat a record or skip one that exists from the
   * first page to the last; a replaced record keeps its position. Each record is as it was at some moment of the call.
   */
  list(options?: ListOptions): Promise<Page<MemoryRecord>>;

  /** Removes all records here, closed ones too, and below here with `descendants`. Returns how many there were. */
  clear(options?: { readonly descendants?: boolean | undefined }): Promise<number>;

  /**
   * The store for a namespace below this one, on the same connection. Inherits this store's identity, except for the given
   * fields. Stores below a read-only store are read-only. `[]` is the same namespace.
   */
  within(segments: Namespace, identity?: Partial<StoreIdentity>): RecordStore;

  /** The namespaces strictly below this one that have records, closed ones too, in a stable order, with counts. */
  namespaces(options?: NamespaceListOptions): Promise<Page<NamespaceInfo>>;

  /**
   * Removes deleted, replaced and expired data from storage. Current records stay. A write, so a read-only store refuses it.
   * Missing on stores that never keep such data.
   */
  compact?(options?: CompactOptions): Promise<void>;

  /**
   * The number of namespaces in the whole storage, not only below this store, whose name is lost by damage. No list contains
   * them, so a user's erasure can't reach them. Missing on stores where that can't happen, and on those that `within` returns.
   */
  unidentified?(): Promise<number>;

  /** Waits for pending writes and releases what this store opened. Later calls are refused with `CLOSED`. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of {@link RecordStore.compact}. */
export interface CompactOptions {
  /**
   * Gets what can still be read of each damaged record that the storage keeps for repair, as the text in which it was
   * stored. Returns whether to remove it for good. It can be any piece of a record, or of several.
   *
   * @default all are kept
   */
  readonly discard?: ((remains: string) => boolean) | undefined;
}

/** Something remembered. Times are ISO 8601 with milliseconds, in UTC. */
export interface MemoryRecord {
  readonly id: string;
  readonly content: string;
  readonly metadata: JsonObject;
  /**
   * Rises by one with each replacement, and never comes again for the id: after a deletion, an expiry or `clear`, the next record
   * begins at another number, so that an `ifVersion` from before is `CONFLICT`. Its last six digits count the puts since the
   * record was created; what comes before them is random.
   */
  readonly version: number;
  readonly createdAt: string;
  /** When it was put last; never before `createdAt`. */
  readonly updatedAt: string;
  /** The record is gone from this time on. */
  readonly expiresAt?: string;
  readonly turn?: Turn;
  readonly source?: RecordSource;
  /** The id of the record that this one replaced. */
  readonly supersedes?: string;
  /** The id of the record that replaced this one. */
  readonly supersededBy?: string;
  /** Since when it holds, if not since `createdAt`. */
  readonly validFrom?: string;
  /** Until when it held. The record is closed: only `get`, `history`, and `list` with `asOf` or `history` return it. */
  readonly validUntil?: string;
  /** Whether search finds it. Never, once it is closed. */
  readonly index: boolean;
  /** The whole path of its namespace, if the list was over `descendants`. */
  readonly namespace?: Namespace;
}

/** A record to store. */
export interface RecordInput {
  /** 1 to 512 characters, no NUL, no lone surrogates. @default A new UUID version 7. */
  readonly id?: string | undefined;
  /** Not blank, up to 1 MiB of UTF-8. */
  readonly content: string;
  /** Up to 64 KiB of JSON. */
  readonly metadata?: JsonObjectInput | undefined;
  /** When it was said or created: ISO 8601 with `Z` or an offset. Ignored when replacing a record. @default Now. */
  readonly createdAt?: string | undefined;
  /** The lifetime from now in whole milliseconds, 1 or more. @default Unlimited. */
  readonly ttlMs?: number | undefined;
  /**
   * `false` keeps it out of search.
   *
   * @default true
   */
  readonly index?: boolean | undefined;
  readonly turn?: Turn | undefined;
  /** Where it comes from. Without fields, the same as missing. */
  readonly source?: RecordSource | undefined;
  /**
   * The id of a record of this namespace that this new record replaces. The same atomic step closes that record, at the
   * `validFrom` of this one. Needs `capabilities.history`.
   */
  readonly supersedes?: string | undefined;
  /**
   * Since when it holds: ISO 8601 with `Z` or an offset. A replacement without it keeps the time. Needs
   * `capabilities.history`.
   *
   * @default `createdAt`
   */
  readonly validFrom?: string | undefined;
  /**
   * Closes the record: it held until this time, which is not in the future. To end a record later, use `ttlMs`. Needs
   * `capabilities.history`.
   */
  readonly validUntil?: string | undefined;
  /** The id of the record that will supersede this closed one, for imports: only with `validUntil`. */
  readonly supersededBy?: string | undefined;
}

/** Which version of a record to get. */
export interface GetOptions {
  /** The version that held at this time: ISO 8601 with `Z` or an offset. Needs `capabilities.history`. */
  readonly asOf?: string | undefined;
}

/** Which namespaces to list. */
export interface NamespaceListOptions extends PageOptions {
  /**
   * Only namespaces that have exactly this segment, at any depth below this store: `{ segment: 'alice' }` lists
   * `['u', 'alice']` and `['u', 'alice', 'notes']`. The own path of the store does not count. Costs with the namespaces that
   * are listed, not with all, if the backend has an index. 1 to 256 characters, no NUL, no lone surrogates.
   *
   * @default all namespaces
   */
  readonly segment?: string | undefined;
  /**
   * No namespaces strictly below one of these segments, at any depth below this store: `{ notBelow: ['u'] }` lists `['team']`
   * and `['u']`, but not `['u', 'alice']`. The own path of the store does not count. Costs with the namespaces that are listed
   * and with the places of such segments, not with what is below them, if the backend has an index. 1 to 256 characters each,
   * no NUL, no lone surrogates.
   *
   * @default namespaces at any place below this store
   */
  readonly notBelow?: readonly string[] | undefined;
  /**
   * Includes namespaces without records, with a count of 0, that may have data in storage, such as expired records. `clear`
   * removes a namespace from this list.
   *
   * @default false
   */
  readonly empty?: boolean | undefined;
}

/** How to search records. */
export interface RecordSearchOptions extends SearchOptions {
  /**
   * Also searches the namespaces below, and names the `namespace` of each entry. Needs `capabilities.enumerate`.
   *
   * The weight of a word follows from all records searched, so entries of different namespaces compare.
   *
   * @default false
   */
  readonly descendants?: boolean | undefined;
}

/** Which records to list. */
export interface ListOptions extends PageOptions {
  /**
   * Also lists the records of the namespaces below, and names the `namespace` of each record. Lists this namespace first,
   * then those below in the order of {@link RecordStore.namespaces}.
   *
   * @default false
   */
  readonly descendants?: boolean | undefined;
  /** By creation in the store, not by `createdAt`; within each namespace. @default 'newest' */
  readonly order?: 'newest' | 'oldest' | undefined;
  /** Only records whose id begins with this literal text, 1 to 512 characters. @default All. */
  readonly idPrefix?: string | undefined;
  readonly filter?: Filter | undefined;
  /** Lists what held at this time instead: ISO 8601 with `Z` or an offset. Needs `capabilities.history`. @default Now. */
  readonly asOf?: string | undefined;
  /**
   * Also lists closed records, for exports and proofs of erasure. Not together with `asOf`.
   *
   * @default false
   */
  readonly history?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A namespace with records. */
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
  readonly extraction: StoreExtraction;
}

/** What a backend can do. Anything a backend can't do is refused with `UNSUPPORTED`. */
export interface StoreCapabilities {
  /** Ranking by words, by meaning, or by both. */
  readonly search: 'lexical' | 'semantic' | 'hybrid';
  /** Whether the next read sees a write, or only later reads. */
  readonly consistency: 'strong' | 'eventual';
  /** Whether records outlive the process. */
  readonly durable: boolean;
  /** Whether several processes can share the records. */
  readonly shared: boolean;
  /** Whether `putMany` stores all records or none. */
  readonly atomicBatch: boolean;
  /** Whether it supports `ttlMs`. */
  readonly ttl: boolean;
  /** Whether it has `list` and `namespaces`. */
  readonly enumerate: boolean;
  /** Whether `search` and `list` support `filter`. */
  readonly filter: boolean;
  /**
   * Whether records can supersede others: `supersedes`, `validFrom`, `validUntil`, `asOf` and `history`. Needs `atomicBatch`,
   * `enumerate` and `filter`.
   */
  readonly history: boolean;
}
