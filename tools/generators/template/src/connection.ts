import { MemoryError } from '@keepsake/core';
import { CursorSeal, expect } from '@keepsake/core/adapter';
import { TABLES } from './schema.ts';

export type Value = string | number | null;
export type Connection = ReturnType<typeof connect>;

/** The methods of the client that Keepsake calls, such as a `DatabaseSync` of `node:sqlite`. The caller closes it. */
export interface SqliteClient {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: Value[]): unknown[] };
}

/** Runs SQL on the caller's client. Creates the tables before the first statement. */
export function connect(client: SqliteClient) {
  expect(typeof client?.prepare === 'function', '`client` must be a DatabaseSync of node:sqlite.');
  let hasTables = false;

  /** Runs a statement and returns its rows; `[]` if it returns none. */
  function all<Row>(sql: string, ...values: Value[]): Row[] {
    try {
      if (!hasTables) client.exec(TABLES);
      hasTables = true;
      return client.prepare(sql).all(...values) as Row[];
    } catch (cause) {
      throw new MemoryError('BACKEND', 'SQLite failed, see the cause. Nothing was changed.', { cause });
    }
  }

  /** Commits all writes of `work`, or none if it throws. `BEGIN` is enough for reads of one state. */
  function transaction<T>(work: () => T, begin: 'BEGIN' | 'BEGIN IMMEDIATE' = 'BEGIN IMMEDIATE'): T {
    all(begin);
    try {
      const result = work();
      all('COMMIT');
      return result;
    } catch (error) {
      try {
        all('ROLLBACK');
      } catch {
        // SQLite has already rolled back, as it does on a full disk. The caller gets the original error.
      }
      throw error;
    }
  }

  /** Encrypts the positions in cursors: they count the rows of all namespaces and sessions. */
  function cursorSeal(): CursorSeal {
    const [row] = all<{ secret: string }>('SELECT secret FROM keepsake_secrets');
    return new CursorSeal(String(row?.secret));
  }

  return { client, all, transaction, cursorSeal };
}
