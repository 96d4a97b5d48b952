import type { RecordStore } from '@keepsake/core';

/** A backend whose speed is measured as its records grow. */
export interface ScaleBackend {
  readonly name: string;
  /** Whether another process can open what the first wrote in the same directory. */
  readonly reopens: boolean;
  load(): Promise<LoadedBackend>;
}

interface LoadedBackend {
  /** Opens an empty store, or the one that an earlier call wrote in this directory. Starts the server, if there is one. */
  open(directory: string): Promise<OpenBackend>;
}

export interface OpenBackend {
  readonly store: RecordStore;
  /** How long its answers to pings take shows how long it stops. */
  readonly server?: PingedServer;
  close(): Promise<void>;
}

export interface PingedServer {
  readonly kind: 'redis' | 'postgres';
  readonly url: string;
}
