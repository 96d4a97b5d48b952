import type { CompactOptions, Namespace } from '@keepsake/core';
import type { RecordTable } from './record-table.ts';
import type { StoredRecord } from './stored-record.ts';

/** One change of a table. */
export type RecordChange = { readonly put: StoredRecord; readonly vector?: Float32Array } | { readonly delete: string };

/** A table as a store sees it. */
export type RecordView = Pick<
  RecordTable,
  'size' | 'has' | 'get' | 'revise' | 'list' | 'search' | 'corpus' | 'counts' | 'pool'
>;

/** The records of one namespace. */
export interface RecordPlace {
  /** Reads the current table, without expired records. */
  read<T>(use: (table: RecordView) => T): Promise<T>;
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

/** The records of all namespaces. */
export interface RecordSpace {
  readonly durable: boolean;
  readonly shared: boolean;
  open(namespace: Namespace): RecordPlace;
  /** Every namespace that may hold records. */
  namespaces(): Promise<readonly Namespace[]>;
}
