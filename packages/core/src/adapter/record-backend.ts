import type { FilterRule } from '../store/filter.ts';
import type { MemoryEntry, SearchOptions } from '../store/memory-store.ts';
import type { Namespace } from '../store/namespace.ts';
import type { Page } from '../store/page.ts';
import type { PreparedRecord } from '../store/record-input.ts';
import type { ListOptions, MemoryRecord, NamespaceInfo, StoreCapabilities } from '../store/record-store.ts';

/** A backend, as an `AbstractRecordStore` sees it. */
export interface RecordBackend {
  readonly capabilities: StoreCapabilities;
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
  get(id: string): Promise<MemoryRecord | undefined>;
  /**
   * Creates or replaces records, in their order. All or none where `capabilities.atomicBatch`. An id may come twice.
   *
   * @throws MemoryError `CONFLICT` if `ifVersion` is not the version of the record; see {@link keptRecord}.
   */
  put(records: readonly IdentifiedRecord[], options: PutOptions): Promise<readonly MemoryRecord[]>;
  /**
   * Removes a record, and returns whether it was there.
   *
   * @throws MemoryError `CONFLICT` if the record is there in another version than `ifVersion`.
   */
  delete(id: string, ifVersion: number | undefined): Promise<boolean>;
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
  /** Leaves nothing in storage of what was deleted, replaced or has expired. Omit it if nothing ever stays. */
  compact?(): Promise<unknown>;
  /** Releases what these records opened themselves, once their last write is done. Must tolerate a second call. */
  close?(): Promise<void>;
}

/** A record to put, which has its id already: a put that is tried again must not create a second record. */
export interface IdentifiedRecord extends PreparedRecord {
  readonly id: string;
}

/** When to write. `ifVersion` and `unlessSame` come with a single record, and never together. */
export interface PutOptions {
  /** The version that the record must have; 0 = it must not be there. */
  readonly ifVersion?: number | undefined;
  /** Keeps the record that is there if it has the same content and metadata: adding a text again changes nothing. */
  readonly unlessSame?: boolean;
  readonly signal?: AbortSignal | undefined;
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
