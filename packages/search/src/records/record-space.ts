import type { CompactOptions, Namespace, NamespaceInfo } from '@keepsake/core';
import { type NamespaceList, throwIfAborted } from '@keepsake/core/adapter';
import { nextTurn, SharedTurn } from '@keepsake/internal';
import type { RecordTable } from './record-table.ts';
import { SearchSteps } from './search-steps.ts';
import type { StoredRecord } from './stored-record.ts';

/** One change of a table. */
export type RecordChange = { readonly put: StoredRecord; readonly vector?: Float32Array } | { readonly delete: string };

/** A table as a store sees it. */
export type RecordView = Pick<
  RecordTable,
  | 'size'
  | 'has'
  | 'get'
  | 'revise'
  | 'listStep'
  | 'candidates'
  | 'searchStep'
  | 'corpusStep'
  | 'counts'
  | 'similarStep'
  | 'poolStep'
  | 'foundStep'
>;

/** The records of one namespace, as a search sees them. */
export interface SearchedPlace {
  /**
   * Reads the current table, without expired records. If `use` returns `undefined`, what it could not go on without has been read
   * afterwards.
   */
  read<T>(use: (table: RecordView) => T): Promise<T>;
  /** Brings the table up to date. Missing if it always is. */
  follow?(): Promise<void>;
  /** The time of the backend, after `follow`. Missing if it is that of this process. */
  now?(): Date;
}

/** The records of one namespace. */
export interface RecordPlace extends SearchedPlace {
  /**
   * Applies the changes that `decide` returns atomically: the table does not change in between. Can call `decide` more than
   * once.
   */
  change(decide: (table: RecordView) => readonly RecordChange[]): Promise<void>;
  /** Removes all records without a trace. Returns how many there were. */
  clear(): Promise<number>;
  /** Removes deleted and replaced data from storage. Missing if nothing ever stays there. */
  compact?(options: CompactOptions): Promise<void>;
  /** Prepares a faster reopening, if it can. Nothing is read or changed afterwards. */
  close?(): Promise<void>;
}

/** The steps of all searches and lists: hundreds of them at once must not keep timers from firing. */
const turn = new SharedTurn();

/**
 * Reads in steps, each of which sees the table as it is then, and lets the event loop turn in between.
 *
 * @param step - Returns `undefined` if there must be another step.
 * @throws MemoryError `ABORTED` at the end of a step if the signal is aborted.
 */
export async function readInSteps<T>(
  place: SearchedPlace,
  step: (table: RecordView) => T | undefined,
  signal?: AbortSignal,
): Promise<T> {
  for (;;) {
    const { wait } = turn;
    const result = wait === undefined ? await place.read(step) : undefined;
    if (result === undefined) await (wait ?? nextTurn());
    throwIfAborted(signal);
    if (result !== undefined) return result;
  }
}

/** The same for the steps of one search. */
export async function searchInSteps<T>(
  place: SearchedPlace,
  step: (table: RecordView, steps: SearchSteps) => T | undefined,
  signal?: AbortSignal,
): Promise<T> {
  const steps = new SearchSteps();
  try {
    return await readInSteps(place, (table) => step(table, steps), signal);
  } finally {
    steps.end();
  }
}

/** The records of all namespaces. */
export interface RecordSpace {
  readonly durable: boolean;
  readonly shared: boolean;
  /** See `RecordStore.directory`. */
  readonly directory?: string;
  open(namespace: Namespace): RecordPlace;
  /** Every namespace strictly below one that may hold records. */
  namespacesBelow(namespace: Namespace): Promise<readonly Namespace[]>;
  /** The next of them, with their counts, in the order of `nextNamespaces`. */
  nextNamespaces(below: Namespace, list: NamespaceList): Promise<NamespaceInfo[]>;
}
