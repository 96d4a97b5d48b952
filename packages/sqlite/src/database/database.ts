import { pause } from '@keepsake/internal';
import type { Connection } from './connection.ts';
import { migrate } from './migrations.ts';
import { isBusy, toMemoryError } from './sqlite-errors.ts';
import { transaction } from './transaction.ts';

/** How long a call waits for locks of other connections. */
const PATIENCE_MS = 5_000;
/** The longest pause between two attempts. Each is random, so that processes don't meet again. */
const MAX_PAUSE_MS = 20;

/** Gives the connection for a call, and opens it if needed. */
export type Connect = () => Connection;

/**
 * Transactions on a database. Their work is synchronous, so nothing in this process comes in between. A lock of another
 * process is waited for without blocking the event loop.
 */
export class Database {
  /** Whether the whole file is ours, and not a database of the caller with other tables. */
  readonly ownsFile: boolean;
  readonly #connect: Connect;
  readonly #migrated = new WeakSet<Connection>();

  constructor(connect: Connect, { ownsFile }: { readonly ownsFile: boolean }) {
    this.#connect = connect;
    this.ownsFile = ownsFile;
  }

  /** Runs a query, or several that need not see the same state. */
  read<T>(work: (connection: Connection) => T): Promise<T> {
    return this.#patiently(() => work(this.#connection()));
  }

  /** Runs queries that all see the same state. */
  snapshot<T>(work: (connection: Connection) => T): Promise<T> {
    return this.#patiently(() => transaction(this.#connection(), 'BEGIN', work));
  }

  /** Makes all changes of `work`, or none if it throws. Nobody else writes between its reads and its changes. */
  write<T>(work: (connection: Connection) => T): Promise<T> {
    // Immediate: a transaction that begins with reads can't become a writer once another has written.
    return this.#patiently(() => transaction(this.#connection(), 'BEGIN IMMEDIATE', work));
  }

  #connection(): Connection {
    const connection = this.#connect();
    if (!this.#migrated.has(connection)) {
      migrate(connection);
      this.#migrated.add(connection);
    }
    return connection;
  }

  async #patiently<T>(attempt: () => T): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw toMemoryError(error);
      }
      await pause(1 + Math.random() * MAX_PAUSE_MS, undefined);
    }
  }
}
