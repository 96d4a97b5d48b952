import type { Dialect } from './dialect.ts';
import type { Retry } from './retry.ts';

/** The caller's client, as the statements use it. One for each client and its settings: what is known of a database is kept with it. */
export interface Driver {
  /** Whether the caller has opened a transaction with the client. If a statement fails there, all of it fails. */
  readonly isTransaction: boolean;
  readonly tables: TablesHelp;
  /**
   * Whether this is PostgreSQL without prepared statements.
   *
   * @default false
   */
  readonly plansEachTime?: boolean;
  /** The rows of a statement. */
  query<Row>(sql: string, values: readonly unknown[]): PromiseLike<Row[]>;
  /** How many rows a statement has changed. */
  execute(sql: string, values: readonly unknown[]): PromiseLike<number>;
  /**
   * Sends a statement, and retries collisions as the database needs.
   *
   * @default {@link retrying}
   */
  send?<T>(work: () => PromiseLike<T>, again: (error: unknown) => boolean, how: Sending): Promise<T>;
}

/** How to send a statement. */
export interface Sending extends Retry {
  /** `undefined` if it is not yet known. */
  readonly dialect: Dialect | undefined;
  readonly writes: boolean;
}

/** What a driver's users must do about tables. Whole sentences. */
export interface TablesHelp {
  readonly missing: string;
  readonly older: string;
  readonly newer: string;
}
