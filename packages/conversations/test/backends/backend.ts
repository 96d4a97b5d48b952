import type { RecordStore } from '@keepsake/core';

/** An empty place of a backend. */
export interface Place {
  /** Opens the store of the place. Each call returns a new instance, as in another process. */
  open(): RecordStore;
  /** The arguments of `open-place.ts` in another process; `undefined` if no other process can open it. */
  readonly address: readonly string[] | undefined;
  /** The number of bytes on disk, for backends on disk. */
  bytesOnDisk?(): number;
}

/** A backend that the suite runs on. */
export interface Backend {
  readonly name: string;
  /** Whether several processes can share a place. */
  readonly shared: boolean;
  /** Whether times are those of a server, and not of this process. */
  readonly hasClock?: boolean;
  /** Whether only cases that a backend can change run by day. Every night, the whole suite does. */
  readonly partByDay?: boolean;
  /** Called before the tests of a file. */
  start?(): Promise<void>;
  /** Returns a new, empty place. */
  makePlace(): Place;
  /** Called after the tests of a file. */
  stop?(): Promise<void>;
}
