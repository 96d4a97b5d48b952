import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { LOG_STORE_OPTIONS, LogStore, type LogStoreOptions } from '@keepsake/search';
import type { Database } from './database/database.ts';
import { openDatabase, SQLITE_OPTIONS, type SqliteOptions } from './database/database-options.ts';
import { backUp } from './file/back-up.ts';
import { SqliteLogs } from './records/sqlite-logs.ts';

/** Options of a {@link SqliteStore}. */
export interface SqliteStoreOptions extends LogStoreOptions, SqliteOptions {}

const OPTIONS: FieldNames<SqliteStoreOptions> = { ...LOG_STORE_OPTIONS, ...SQLITE_OPTIONS };

/**
 * Memory in an SQLite file that many processes on one machine can share. Each change, including a batch, is one transaction.
 *
 * @example
 * const store = new SqliteStore({ file: 'memory.db', name: 'facts', namespace: ['u', 'alice'] });
 * await store.add('Prefers aisle seats');
 */
export class SqliteStore extends LogStore {
  readonly #database: Database;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Opens nothing. */
  constructor(options: SqliteStoreOptions) {
    const checkedOptions = expectKnownFields(options, OPTIONS);
    const database = openDatabase(checkedOptions);
    super(checkedOptions, new SqliteLogs(database, checkedOptions.embedder), OPTIONS);
    this.#database = database;
  }

  /**
   * Copies the whole database, as it is at this time, to a new file. Other processes can go on reading and writing.
   *
   * @throws MemoryError `CONFLICT` if the file exists.
   */
  async backup(file: string): Promise<void> {
    await backUp(this.#database, file);
  }
}
