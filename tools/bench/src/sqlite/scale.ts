import type { Scale } from '../sessions/scale.ts';

/** How large, how often, and with whom. */
export interface SqliteScale {
  readonly sessions: Scale;
  readonly stores: StoresScale;
}

export interface StoresScale {
  /** The records of a store, and of the largest one; 0 for no such store. */
  readonly entries: number;
  readonly most: number;
  readonly rounds: number;
  readonly searches: number;
  /** Single puts of a round. */
  readonly puts: number;
  readonly builds: number;
  readonly withPeers: boolean;
}
