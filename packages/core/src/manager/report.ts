/** A store that could not do its part, while the rest went on. */
export interface StoreFailure {
  readonly storeName: string;
  /**
   * What it was to do. `overflow`: messages were dropped before they were saved, since too many were waiting. `outbox`:
   * the outbox could not keep or let go of messages.
   */
  readonly operation: 'search' | 'add' | 'extract' | 'overflow' | 'outbox';
  readonly error: unknown;
  /** How many messages or texts it concerns, where that can be told. */
  readonly count?: number;
}

/** Hears of every failure that is not thrown. */
export type ReportFailure = (failure: StoreFailure) => void;
