import { isMemoryError, MemoryError } from '@keepsake/core';
import { TABLES } from './schema.ts';
import type { SqliteClient } from './sqlite-client.ts';

/** Runs SQL on the client of the caller, and makes the tables before the first. Its errors are `MemoryError`s. */
export class Connection {
  readonly #client: SqliteClient;
  #hasTables = false;

  constructor(client: SqliteClient) {
    if (typeof client?.prepare !== 'function') {
      throw new MemoryError('INVALID_ARGUMENT', 'client is to be a DatabaseSync of node:sqlite.');
    }
    this.#client = client;
  }

  /** The rows that a statement gives; `[]` for one that gives none. */
  all<Row>(sql: string, ...values: (string | number | null)[]): Row[] {
    return this.#guard(() => this.#client.prepare(sql).all(...values) as Row[]);
  }

  /** Lands all that `change` writes, or on an error none of it. Nobody else writes between its reads and its writes. */
  transaction<T>(change: () => T): T {
    return this.#guard(() => {
      this.#client.exec('BEGIN IMMEDIATE');
      try {
        const result = change();
        this.#client.exec('COMMIT');
        return result;
      } catch (error) {
        this.#rollBack();
        throw error;
      }
    });
  }

  #rollBack(): void {
    try {
      this.#client.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as it does on a full disk. The caller is told of the first error.
    }
  }

  #guard<T>(work: () => T): T {
    try {
      if (!this.#hasTables) this.#client.exec(TABLES);
      this.#hasTables = true;
      return work();
    } catch (cause) {
      if (isMemoryError(cause)) throw cause;
      throw new MemoryError('BACKEND', 'SQLite failed, see the cause. Nothing was changed.', { cause });
    }
  }
}
