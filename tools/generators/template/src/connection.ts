import { isMemoryError, MemoryError } from '@keepsake/core';
import { CursorSeal } from '@keepsake/core/adapter';
import { TABLES } from './schema.ts';
import type { SqliteClient } from './sqlite-client.ts';

/** Runs SQL on the caller's client. Creates the tables before the first statement. Throws `MemoryError`s. */
export class Connection {
  readonly #client: SqliteClient;
  #hasTables = false;
  #cursors: CursorSeal | undefined;

  constructor(client: SqliteClient) {
    if (typeof client?.prepare !== 'function') {
      throw new MemoryError('INVALID_ARGUMENT', 'client must be a DatabaseSync of node:sqlite.');
    }
    this.#client = client;
  }

  /** Runs a statement and returns its rows; `[]` if it returns none. */
  all<Row>(sql: string, ...values: (string | number | null)[]): Row[] {
    return this.#guard(() => this.#client.prepare(sql).all(...values) as Row[]);
  }

  /** Encrypts the positions in cursors: they count the rows of all namespaces and sessions. */
  get cursors(): CursorSeal {
    this.#cursors ??= new CursorSeal(
      this.all<{ secret: string }>('SELECT secret FROM keepsake_secrets')[0]?.secret ?? '',
    );
    return this.#cursors;
  }

  /** Commits all writes of `change`, or none if it throws. Nobody else writes between its reads and its writes. */
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
      // SQLite has already rolled back, as it does on a full disk. The caller gets the original error.
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
