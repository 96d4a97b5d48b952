import { expectKnownFields, type FieldNames, type RecordStoreOptions, STORE_OPTIONS } from '@keepsake/core/adapter';
import { LogStore } from '@keepsake/search';
import { connect, type SqliteClient } from './connection.ts';
import { openRecords } from './records.ts';

/** Options of a {@link SqliteStore}. */
export interface SqliteStoreOptions extends RecordStoreOptions {
  readonly client: SqliteClient;
}

const OPTIONS: FieldNames<SqliteStoreOptions> = { ...STORE_OPTIONS, client: true };

/**
 * Memory in SQLite. Records are as durable, and as shared, as the database: `:memory:` ends with its client.
 *
 * @example
 * const store = new SqliteStore({ client: new DatabaseSync('memory.db'), name: 'facts' });
 * await store.add('Allergic to hazelnuts');
 */
export class SqliteStore extends LogStore {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Writes nothing. */
  constructor(options: SqliteStoreOptions) {
    const given = expectKnownFields(options, OPTIONS);
    super(given, openRecords(connect(given.client)), OPTIONS);
  }
}
