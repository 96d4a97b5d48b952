import type { RecordStore, SessionStore } from '@keepsake/core';

/** A kind of place to keep memory in. The tests name none: whatever is in `BACKENDS` passes them. */
export interface Backend {
  readonly name: string;
  start(): Promise<RunningBackend>;
  /** Opens a place of another process by its address, where one can. */
  reach?(address: string): ReachedPlace;
}

export interface RunningBackend {
  /** A place that nobody has used. */
  place(): Place;
  stop(): Promise<void>;
}

/** Memory and conversations. */
interface Stores {
  readonly store: RecordStore;
  readonly sessions: SessionStore;
}

/** A place that another process has made. */
export interface ReachedPlace extends Stores {
  close(): void;
}

/** Memory and conversations, empty at first. */
export interface Place extends Stores {
  /** How another process reaches the same place; `undefined` where none can. */
  readonly address: string | undefined;
  /** All that is stored, as it is: files with their names, or keys with their values. */
  raw(): Promise<string>;
}
