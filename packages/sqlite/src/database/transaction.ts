import { MemoryError } from '@keepsake/core';
import type { Connection } from './connection.ts';

/** Runs `work` in a transaction of this connection. */
export function transaction<T>(
  connection: Connection,
  begin: 'BEGIN' | 'BEGIN IMMEDIATE',
  work: (connection: Connection) => T,
): T {
  connection.run(begin);
  try {
    const result = work(connection);
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
