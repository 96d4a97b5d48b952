import type { Namespace } from '@keepsake/core';
import type { RecordTable, StoredRecord } from './record-table.ts';

/** One change of a table. */
export type RecordChange = { readonly put: StoredRecord; readonly vector?: Float32Array } | { readonly delete: string };

/** The records of one namespace, wherever they are kept. */
export interface RecordPlace {
  /** Shows the table as it is now, without what has expired. */
  read<T>(use: (table: RecordTable) => T): Promise<T>;
  /**
   * Makes the changes that `decide` asks for in one atomic step: nothing else changes the table between what `decide`
   * sees and what it asks for. `decide` may be called again.
   */
  change(decide: (table: RecordTable) => readonly RecordChange[]): Promise<void>;
  /** Removes all records, leaving nothing of them. Returns how many there were. */
  clear(): Promise<number>;
}

/** Where the records of all namespaces are kept. */
export interface RecordSpace {
  readonly durable: boolean;
  readonly shared: boolean;
  open(namespace: Namespace): RecordPlace;
  /** Every namespace that may hold records. */
  namespaces(): Promise<readonly Namespace[]>;
}
