import type { MemoryRecord, Namespace, NamespaceInfo } from '@keepsake/core';
import type { CursorSeal, NamespaceList } from '@keepsake/core/adapter';

/** A record as a log has it. */
export interface LoggedRecord {
  readonly record: MemoryRecord;
  /** Its place in the order of changes of its namespace: a whole number above 0, higher than that of every change before. */
  readonly change: number;
  /** Its place in the order of creation: the change that created it. */
  readonly created: number;
  /**
   * Tells the change from another one with the same number, together with its time: after a transaction or a failover undid it.
   * Missing if the backend can't: then nobody remembers the record.
   */
  readonly writer?: string | undefined;
  /** Of the embedder that asks; missing if the record has none of it. */
  readonly vector?: Float32Array | undefined;
}

/** One change of a log: a record that is put, or the id of one that is removed. */
export type LogChange =
  | { readonly put: MemoryRecord; readonly vector?: Float32Array | undefined }
  | { readonly delete: string };

/**
 * Decides what to change by the records that are there and have not expired. Returns the changes
 * by their time, which is that of the backend if it has a clock. They are made in their order, and a record that is put several
 * times was created by the first; none is deleted and put. May throw, and be called again.
 */
export type DecideChanges = (records: ReadonlyMap<string, MemoryRecord>) => (now: Date) => readonly LogChange[];

/**
 * Some changes after a position, in their order. Of a record that changed several times, the last one is enough. Records may have
 * expired: who follows lets them go by their `expiresAt`. A backend that removes an expired one says so as of a deletion, unless
 * the last version that it had told of would expire, too.
 */
export interface LogPart {
  /** Identifies what the numbers of changes belong to: another one after the namespace was emptied or cleared. */
  readonly log: number | string | undefined;
  /** Whether these are the first changes of all: what was known before no longer counts. */
  readonly isBeginning: boolean;
  readonly changes: readonly (LoggedRecord | { readonly deleted: string; readonly change: number })[];
  /** The number of the last change that is covered. */
  readonly change: number;
  /**
   * The number of the last change when the first ones of all were read. Deletions up to it may be forgotten: whoever reads what is
   * there need not know of them.
   */
  readonly began: number;
  /** Whether nothing came after it. */
  readonly isLast: boolean;
  /** The time of the backend, in milliseconds since 1970. Missing: it has no clock but that of this process. */
  readonly now?: number | undefined;
}

/** How far somebody has followed a log. */
export type LogPosition = Pick<LogPart, 'log' | 'change' | 'began'>;

/** Which records to list. */
export interface LogRange {
  readonly order: 'newest' | 'oldest';
  /** Only records that come after this one in the order of creation, or before it with `newest`. */
  readonly after: number | undefined;
  readonly limit: number;
}

/** A saved table of a namespace, with everything up to a change. */
export interface SavedIndex extends Pick<LogPosition, 'log' | 'change'> {
  /** No other index has the same one, before or after it. */
  readonly id: number | string;
  /** How many pages it has. */
  readonly count: number;
  /** The last of its pages, by their number from 0, which are always read first: some 32 of them. Without those that are damaged. */
  readonly pages: ReadonlyMap<number, Uint8Array>;
  /** Other pages. Without those that are damaged, or gone because another index has taken the place of this one. */
  read(pages: readonly number[]): Promise<ReadonlyMap<number, Uint8Array>>;
  /**
   * The time of the backend, in milliseconds since 1970, if nothing has changed since `change` when the index was read: then the
   * table reads no changes. A backend that can't tell in the same step leaves it out.
   */
  readonly currentAt?: number | undefined;
}

/** Saves a table, which takes many steps. */
export interface IndexWriter {
  /** Writes the next pages: some 8 of them at once. A page has 32 KiB at most. */
  write(pages: readonly Uint8Array[]): Promise<void>;
  /**
   * Makes it the saved index, in place of the one before.
   *
   * @throws MemoryError `CONFLICT` if the namespace was emptied, cleared or compacted after that position, if deletions after it were
   * forgotten, or if another process has taken over.
   */
  publish(position: Pick<LogPosition, 'log' | 'change'>): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

/** The records of one namespace in a backend, and the order in which they change. */
export interface RecordLog {
  /** The records with these ids that have not expired, in no order. */
  read(ids: readonly string[]): Promise<readonly LoggedRecord[]>;
  /**
   * Makes changes in one atomic step, in which nobody else changes records with these ids. The last call of `decide` got what
   * was there, and the last call of what it returned got the time at which the changes were made.
   *
   * @throws MemoryError `ABORTED` if the signal is aborted while it waits for others. Nothing is changed then.
   */
  change(ids: readonly string[], decide: DecideChanges, signal?: AbortSignal): Promise<void>;
  /** The changes after a position. From the first one on without a position, and if the log no longer knows what came after it. */
  changes(after: LogPosition | undefined): Promise<LogPart>;
  /** The next records in an order, except expired ones. Fewer than `limit` only at the end. */
  list(range: LogRange): Promise<readonly LoggedRecord[]>;
  /** Removes everything at once, and the saved index. Returns how many records had not expired. */
  clear(): Promise<number>;
  /** Leaves nothing in storage of what was deleted, replaced or has expired, the saved index included. */
  compact(): Promise<void>;
  /** The saved index of a variant; `undefined` if there is none. */
  readIndex(variant: string): Promise<SavedIndex | undefined>;
  /**
   * Begins to save an index; `undefined` if another process is at it, or has saved one with changes after `knownChange`. Leaves
   * the saved one as it is until the new one is published.
   */
  writeIndex(variant: string, knownChange: number): Promise<IndexWriter | undefined>;
}

/** The records of all namespaces in a backend. */
export interface RecordLogs {
  readonly durable: boolean;
  readonly shared: boolean;
  open(namespace: Namespace): RecordLog;
  /** Seals the cursors of lists, whose numbers may count what others have written. */
  cursorSeal(): Promise<CursorSeal>;
  /** Every namespace strictly below one that may hold records. */
  namespacesBelow(namespace: Namespace): Promise<readonly Namespace[]>;
  /** The next of them, with their counts, in the order of `nextNamespaces`. */
  nextNamespaces(below: Namespace, list: NamespaceList): Promise<readonly NamespaceInfo[]>;
  /** Removes the records of a namespace, and of those below it: of each namespace all at once. Returns how many had not expired. */
  clearTree(namespace: Namespace): Promise<number>;
}
