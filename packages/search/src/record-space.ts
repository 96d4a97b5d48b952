import type { Namespace } from '@keepsake/core';
import type { RecordTable } from './record-table.ts';
import type { StoredRecord } from './stored-record.ts';

/** One change of a table. */
export type RecordChange = { readonly put: StoredRecord; readonly vector?: Float32Array } | { readonly delete: string };

/** What a store needs of a table, whatever its places are. */
export type RecordView = Pick<RecordTable, 'size' | 'has' | 'get' | 'revise' | 'list' | 'search'>;

/** The records of one namespace, wherever they are kept. */
export interface RecordPlace {
  /** Shows the table as it is now, without what has expired. */
  read<T>(use: (table: RecordView) => T): Promise<T>;
  /**
   * Makes the changes that `decide` asks for in one atomic step: nothing else changes the table between what `decide`
   * sees and what it asks for. `decide` may be called again.
   */
  change(decide: (table: RecordView) => readonly RecordChange[]): Promise<void>;
  /** Removes all records, leaving nothing of them. Returns how many there were. */
  clear(): Promise<number>;
  /** Leaves nothing in storage of what was deleted or replaced; without it, nothing ever is. */
  compact?(): Promise<void>;
  /** Makes the place quicker to open again, where it can; nothing is read or changed after. */
  close?(): Promise<void>;
}

/** Where the records of all namespaces are kept. */
export interface RecordSpace {
  readonly durable: boolean;
  readonly shared: boolean;
  open(namespace: Namespace): RecordPlace;
  /** Every namespace that may hold records. */
  namespaces(): Promise<readonly Namespace[]>;
}
