import type {
  FilterRule,
  ListOptions,
  MemoryEntry,
  MemoryRecord,
  Namespace,
  NamespaceInfo,
  NamespaceListOptions,
  Page,
  PreparedRecord,
} from '@keepsake/core';

/** What a database keeps of one namespace. A {@link HostedStore} checks what goes in; this never sees anything else. */
export interface HostedRecords {
  /** The records of another namespace of the same database. */
  at(namespace: Namespace): HostedRecords;
  get(id: string): Promise<MemoryRecord | undefined>;
  /** Puts records in their order, all or none. */
  put(inputs: readonly PreparedRecord[], options?: HostedPut): Promise<readonly MemoryRecord[]>;
  /** Removes a record that passes `check`, which may throw; false where there is none. */
  delete(id: string, check: (known: MemoryRecord) => void): Promise<boolean>;
  /** Removes all records of the namespace. Returns how many there were. */
  clear(): Promise<number>;
  /** Removes all records of the namespaces strictly below. Returns how many there were. */
  clearBelow(): Promise<number>;
  list(options: ListOptions | undefined): Promise<Page<MemoryRecord>>;
  namespaces(options: NamespaceListOptions | undefined): Promise<Page<NamespaceInfo>>;
  /** Removes what has expired from storage. */
  sweep(): Promise<unknown>;
  /** The records that fit a text that is not blank, best first. */
  search(search: HostedSearch): Promise<MemoryEntry[]>;
}

export interface HostedPut {
  /**
   * Sees what is there under the ids of the inputs when they are put: it may throw, or give what makes the put needless.
   * It may be asked more than once, first with what is assumed to be there.
   */
  readonly check?: (known: readonly (MemoryRecord | undefined)[]) => readonly MemoryRecord[] | undefined;
  /** Whether to read what is there first, rather than to assume that nothing is. */
  readonly read?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface HostedSearch {
  readonly query: string;
  readonly limit: number;
  readonly rules: readonly FilterRule[];
  readonly minScore: number;
  readonly explain: boolean;
  readonly signal: AbortSignal | undefined;
}
