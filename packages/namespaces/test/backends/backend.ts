import type { RecordStore, SessionStore } from '@keepsake/core';

/** A backend under test. The tests name none: every backend in `BACKENDS` must pass. */
export interface Backend {
  readonly name: string;
  /** Whether tests that a backend hardly changes run on it at night only. */
  readonly partByDay?: boolean;
  start(): Promise<RunningBackend>;
  /** Opens a place of another process by its address, if the backend can. */
  reach?(address: string): ReachedPlace;
}

export interface RunningBackend {
  /** A new, empty place. */
  place(): Place;
  stop(): Promise<void>;
}

/** Memory and conversations. */
interface Stores {
  readonly store: RecordStore;
  readonly sessions: SessionStore;
}

/** A place that another process created. */
export interface ReachedPlace extends Stores {
  close(): void;
}

/** Memory and conversations, empty at first. */
export interface Place extends Stores {
  /** The address for another process to open the same place; `undefined` if it cannot. */
  readonly address: string | undefined;
  /** All stored data in raw form: files with their names, or keys with their values. */
  raw(): Promise<string>;
}
