import { SharedTurn, type Steps } from '@keepsake/internal';
import { Checkpoints } from '../file/checkpoints.ts';
import { ChangeQueue } from './change-queue.ts';
import type { Connection, Connections } from './connection.ts';
import { refuseForeignTriggers } from './foreign-triggers.ts';
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
  readonly #connections: Connections;
  readonly #migrated = new WeakSet<Connection>();
  readonly #changes: ChangeQueue;
  readonly #checkpoints: Checkpoints | undefined;
  readonly #turn = new SharedTurn(READS_MS);

  /** @param maxFrames - How long the write-ahead log of a file becomes before it is copied to the database. */
  constructor(connections: Connections, file?: string, maxFrames?: number) {
    this.#connections = connections;
    this.file = file;
    const { apart } = connections;
    this.#checkpoints = file === undefined ? undefined : new Checkpoints(file, this, maxFrames);
    this.#changes = new ChangeQueue(
      {
        usual: () => this.#connection(),
        apart:
          apart &&
          (() => {
            this.#connection();
            return apart();
          }),
      },
      () => this.#checkpoints?.afterChange(),
    );
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

  /**
   * The same for work that may take long: then the event loop turns where it yields, and reads see nothing of it until it is
   * made. It may be begun again, after a lock of another process or if it was not known to be long. In a database of the
   * caller, it is made without interruption.
   */
  writeLong<T>(work: (connection: Connection) => Steps<T>, isLong = false): Promise<T> {
    return this.#changes.addLong(work, isLong);
  }

  /** Lets changes of this process wait until `work` is done, one such work at a time. */
  whileNothingChanges<T>(work: () => Promise<T>): Promise<T> {
    return this.#changes.hold(async () => {
      await this.#checkpoints?.copying;
      return work();
    });
  }

  #connection(): Connection {
    const connection = this.#connections.usual();
    if (!this.#migrated.has(connection)) {
      refuseForeignTriggers(connection);
      migrate(connection);
      this.#migrated.add(connection);
    }
    return connection;
  }

  async #patiently<T>(attempt: () => T): Promise<T> {
    await this.#turn.wait;
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
