import { MemoryError } from '@keepsake/core';
import { finishWithPauses, nextTurn, type Steps } from '@keepsake/internal';
import type { Connection } from './connection.ts';
import { refuseForeignTriggers } from './foreign-triggers.ts';

/** Runs `work` in a transaction of this connection. */
export function transaction<T>(
  connection: Connection,
  begin: 'BEGIN' | 'BEGIN IMMEDIATE',
  work: (connection: Connection) => T,
): T {
  const checked = () => {
    if (begin === 'BEGIN IMMEDIATE') refuseForeignTriggers(connection);
    return work(connection);
  };
  if (connection.transactionSync !== undefined) return connection.transactionSync(checked);
  connection.run(begin);
  try {
    const result = checked();
    // With `synchronous = FULL`, returns once the log is on the disk.
    connection.run('COMMIT');
    return result;
  } catch (error) {
    rollBack(connection, error);
    throw error;
  }
}

/** Says that work was interrupted, because it takes too long to be done at once. */
export class TooLong extends Error {}

/**
 * Does work without an interruption, if that is possible by some time on the clock of `performance.now()`.
 *
 * @throws TooLong in the middle of the work, otherwise.
 */
export function atOnceBy<T>(end: number, work: Steps<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() > end) throw new TooLong();
  }
}

/** Does work in a transaction that stays open while the event loop turns. Nothing else may use the connection meanwhile. */
export async function longTransaction<T>(
  connection: Connection,
  work: (connection: Connection) => Steps<T>,
): Promise<T> {
  connection.run('BEGIN IMMEDIATE');
  try {
    refuseForeignTriggers(connection);
    const result = await finishWithPauses(work(connection));
    // The end can take a step.
    await nextTurn();
    connection.run('COMMIT');
    return result;
  } catch (error) {
    rollBack(connection, error);
    throw error;
  }
}

function rollBack(connection: Connection, error: unknown): void {
  try {
    connection.execute('ROLLBACK');
  } catch (cause) {
    // On a full disk, for example, SQLite rolls back automatically, and the first error says why.
    if (/no transaction is active/.test(String(cause))) return;
    connection.isBroken = true;
    throw new MemoryError('BACKEND', 'SQLite could not roll back a change. It is not kept.', { cause: error });
  }
}
