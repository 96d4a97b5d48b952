import type { RecordStore } from '@keepsake/core';

/** A backend under test. The tests name none: every backend of the list must pass. */
export interface Backend {
  readonly name: string;
  /** Whether tests that a backend hardly changes run on it at night only. */
  readonly partByDay?: boolean;
  start(): Promise<RunningBackend>;
  /** Opens a place by its address, in another process. */
  reach?(address: string): { readonly store: RecordStore; close(): void };
}

export interface RunningBackend {
  /** A new, empty place. */
  place(): Place;
  stop(): Promise<void>;
}

export interface Place {
  /** Opens the store of the place. Each call returns a new instance, as in another process. */
  open(): RecordStore;
  /** The address for another process to open the same place; `undefined` if it cannot. */
  readonly address: string | undefined;
}
