import type { RecordStore } from '@keepsake/core';

/** An empty place of a backend. */
export interface Place {
  /** A store on it: each call gives another instance, as another process would have. */
  open(): RecordStore;
  /** What `open-place.ts` opens it by in another process; `undefined` where no other process can. */
  readonly address: readonly string[] | undefined;
  /** How many bytes it takes on disk, where it is on one. */
  bytesOnDisk?(): number;
}

/** A backend that the suite runs on. */
export interface Backend {
  readonly name: string;
  /** Whether several processes can work on one place. */
  readonly shared: boolean;
  /** Called before the tests of a file. */
  start?(): Promise<void>;
  /** An empty place. */
  makePlace(): Place;
  /** Called after them. */
  stop?(): Promise<void>;
}
