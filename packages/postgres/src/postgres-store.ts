import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { LOG_STORE_OPTIONS, LogStore, type LogStoreOptions } from '@keepsake/search';
import { SqlLogs } from '@keepsake/sql';
import { driverOf, POSTGRES_OPTIONS, type PostgresOptions } from './postgres-driver.ts';

/** Options of a {@link PostgresStore}. */
export interface PostgresStoreOptions extends LogStoreOptions, PostgresOptions {}

const OPTIONS: FieldNames<PostgresStoreOptions> = { ...LOG_STORE_OPTIONS, ...POSTGRES_OPTIONS };

/**
 * Memory in PostgreSQL. Any number of processes can share it. Each change, including a batch, is one atomic statement.
 *
 * @example
 * const store = new PostgresStore({ client: pool, name: 'facts', namespace: ['u', 'alice'] });
 * await store.add('Prefers aisle seats');
 */
export class PostgresStore extends LogStore {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: PostgresStoreOptions) {
    const checkedOptions = expectKnownFields(options, OPTIONS);
    super(checkedOptions, new SqlLogs(driverOf(checkedOptions), checkedOptions.embedder), OPTIONS);
  }
}
