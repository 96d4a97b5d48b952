import type { Namespace, RecordStore, SessionStore } from '@keepsake/core';

/** Where sessions and memories are stored. */
export interface Backend {
  /** The directory or file, as the options name it. */
  readonly path: string;
  /** The number of logs whose damaged lines were skipped so far. */
  readonly damagedLogs: number;
  /** Opens a store. Writes nothing before the first change. */
  openStore(namespace: Namespace): RecordStore;
  openSessions(): SessionStore;
}
