/** A store that failed while others went on. */
export interface StoreFailure {
  readonly storeName: string;
  /**
   * The failed operation. `overflow`: messages were dropped unsaved, because too many were waiting. `outbox`: the outbox
   * could not store or remove messages.
   */
  readonly operation: 'search' | 'add' | 'extract' | 'overflow' | 'outbox';
  readonly error: unknown;
  /** The number of affected messages or texts, if known. */
  readonly count?: number;
  /** If searches skip the store from now on, because several in a row timed out: for how many milliseconds. */
  readonly skippedForMs?: number;
}

/** Receives every failure that is not thrown. */
export type ReportFailure = (failure: StoreFailure) => void;
