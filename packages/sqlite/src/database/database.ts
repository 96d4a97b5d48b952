import { Turns } from '@keepsake/internal/node';
import { ChangeQueue } from './change-queue.ts';
import type { Connect, Connection } from './connection.ts';
import { migrate } from './migrations.ts';
import { Patience } from './patience.ts';
import { isBusy, toMemoryError } from './sqlite-errors.ts';
import { transaction } from './transaction.ts';

/** How long reads go on before the event loop turns. Changes may wait for that: endless reads would keep them from being made. */
const READS_MS = 10;

/**
 * Transactions on a database, which all sessions and stores of this process share. Their work is synchronous, so nothing in
 * this process comes in between. A lock of another process is waited for without blocking the event loop.
 */
export class Database {
  /** The path of a file that is ours as a whole; `undefined` for a database of the caller with other tables. */
  readonly file: string | undefined;
  readonly #connect: Connect;
  readonly #migrated = new WeakSet<Connection>();
  readonly #changes = new ChangeQueue(() => this.#connection());
  readonly #turns = new Turns(READS_MS);

  constructor(connect: Connect, file?: string) {
    this.#connect = connect;
    this.file = file;
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
    return this.#changes.add(work);
  }

  /** Lets changes of this process wait until `work` is done, one such work at a time. */
  whileNothingChanges<T>(work: () => Promise<T>): Promise<T> {
    return this.#changes.hold(work);
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
    await this.#turns.wait;
    const patience = new Patience();
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error) || patience.isOver) throw toMemoryError(error);
      }
      await patience.pause();
    }
  }
}
