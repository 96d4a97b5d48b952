import type { FilterRule } from '../store/filter.ts';
import type { MemoryEntry, SearchOptions } from '../store/memory-store.ts';
import type { Namespace } from '../store/namespace.ts';
import type { Page } from '../store/page.ts';
import type { PreparedRecord } from '../store/record-input.ts';
import type {
  CompactOptions,
  ListOptions,
  MemoryRecord,
  NamespaceInfo,
  StoreCapabilities,
} from '../store/record-store.ts';
import type { StoredSource } from './stored-source.ts';

/** A backend, as an `AbstractRecordStore` sees it. */
export interface RecordBackend {
  readonly capabilities: StoreCapabilities;
  /** See `RecordStore.directory`. */
  readonly directory?: string | undefined;
  /** Returns the records of a namespace. Reads and writes nothing yet. */
  open(namespace: Namespace): NamespaceRecords;
  /**
   * Runs a whole write, from the call to its last change, or refuses it. Must call `start` at once, before the caller can
   * change what it passed in. Omit it if every write may run.
   */
  write?<T>(start: () => Promise<T>): Promise<T>;
}

/**
 * The records of one namespace in a backend. `AbstractRecordStore` checks and copies all arguments first, and never calls
 * what the capabilities exclude. Methods may throw as well as reject.
 */
export interface NamespaceRecords {
  /** `asOf` comes only if there is a `history` here. */
  get(id: string, asOf?: string): Promise<MemoryRecord | undefined>;
  /**
   * Creates or replaces records, in their order. All or none where `capabilities.atomicBatch`. An id may come twice.
   *
   * @throws MemoryError `CONFLICT` if {@link keptRecord} throws for one of them. Nothing is written then.
   */
  put(records: readonly IdentifiedRecord[], options: PutOptions): Promise<readonly MemoryRecord[]>;
  /**
   * Removes a record, and returns whether it was there.
   *
   * @throws MemoryError what {@link checkRemoval} throws. Nothing is removed then.
   */
  delete(id: string, options: RemovalOptions): Promise<boolean>;
  /** Removes all records here, and below here with `descendants`. Returns how many there were. */
  clear(descendants: boolean): Promise<number>;
  list(list: RecordList): Promise<Page<MemoryRecord>>;
  /** The next namespaces strictly below, at most `limit`, always in the same order. See {@link nextNamespaces}. */
  namespaces(list: NamespaceList): Promise<readonly NamespaceInfo[]>;
  search(search: RecordSearch): Promise<readonly MemoryEntry[]>;
  /**
   * Searches here and in all namespaces below, and names the namespace of each entry. Omit it if scores do not depend on
   * what else a namespace holds: then each namespace is searched, and their entries are merged by score.
   */
  searchTree?(search: RecordSearch): Promise<readonly MemoryEntry[]>;
  /**
   * As `RecordStore.history`. Implement it only if another store keeps the histories: `put`, `get`, `list` and `delete` then
   * receive the caller's options for histories. Otherwise, they are kept with the methods above, see {@link StoredSource}.
   */
  history?(id: string): Promise<readonly MemoryRecord[]>;
  /**
   * Replaces an id that `add` or `addMessages` derived from what is stored. Omit it, unless nobody may tell from the id what
   * is stored under it.
   */
  hiddenId?(id: string): Promise<string>;
  /**
   * Leaves nothing in storage of what was deleted, replaced or has expired, and of damaged records what `discard` chooses.
   * Omit it if nothing ever stays.
   */
  compact?(options: CompactOptions): Promise<unknown>;
  /** Releases what these records opened themselves, once their last write is done. Must tolerate a second call. */
  close?(): Promise<void>;
}

/** A record to put, which has its id already: a put that is tried again must not create a second record. */
export interface IdentifiedRecord extends PreparedRecord {
  readonly id: string;
  readonly source: StoredSource | undefined;
  /** The version that the record must have; 0 = it must not be there. Comes with the first record of an id. */
  readonly ifVersion?: number | undefined;
  /** The record that must be there. Comes with its version as `ifVersion`, with its content and with its metadata. */
  readonly replaces?: MemoryRecord | undefined;
}

/** When to write. `unlessSame` comes with a single record, without `ifVersion`. */
export interface PutOptions {
  /** Keeps the record that is there if it has the same content and metadata: adding a text again changes nothing. */
  readonly unlessSame?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** When to remove a record. */
export interface RemovalOptions {
  /** The version that the record must have. */
  readonly ifVersion?: number | undefined;
  /** Gets the record that is there, and may throw. */
  readonly check?: ((record: MemoryRecord) => void) | undefined;
  /** As the caller passed it. Comes only if there is a `history` here. */
  readonly alone?: boolean | undefined;
}

/** Which page of records to list, with defaults filled in. */
export interface RecordList extends Omit<ListOptions, 'descendants'> {
  readonly limit: number;
  readonly order: 'newest' | 'oldest';
  /** The parsed `filter`. */
  readonly rules: readonly FilterRule[];
}

/** Which namespaces to list. */
export interface NamespaceList {
  readonly limit: number;
  /** Only those that come after this one, which need not be there any more. Missing: from the first one. */
  readonly after?: Namespace | undefined;
  /** Whether to include namespaces without records, as `NamespaceListOptions.empty`. */
  readonly empty: boolean;
  /**
   * Every namespace that has this segment strictly below must be in the list. Others may be, too: `AbstractRecordStore` leaves
   * them out. So a backend without an index can ignore it.
   */
  readonly segment?: string | undefined;
  /**
   * The segments of `NamespaceListOptions.notBelow`. `AbstractRecordStore` leaves out what is below them, so a backend can
   * ignore them.
   */
  readonly notBelow?: readonly string[] | undefined;
  /**
   * A namespace above `after`. What is strictly below it is not wanted, and `AbstractRecordStore` leaves it out. So a backend
   * can begin after all of it, or ignore this.
   */
  readonly beyond?: Namespace | undefined;
}

/** What to search for, with defaults filled in. */
export interface RecordSearch extends Omit<SearchOptions, 'maxSearchResults'> {
  /** Not blank. Literal text, never a query language. */
  readonly query: string;
  readonly limit: number;
  /** The parsed `filter`. It applies before the limit. */
  readonly rules: readonly FilterRule[];
  /** `-Infinity` if the caller set none. */
  readonly minScore: number;
  readonly explain: boolean;
}
