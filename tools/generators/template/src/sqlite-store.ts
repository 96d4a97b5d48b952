import {
  AbstractRecordStore,
  expectKnownFields,
  type FieldNames,
  type RecordStoreOptions,
  STORE_OPTIONS,
} from '@keepsake/core/adapter';
import { Connection } from './connection.ts';
import { Records } from './records.ts';
import type { SqliteClient } from './sqlite-client.ts';

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
export class SqliteStore extends AbstractRecordStore {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Writes nothing. */
  constructor(options: SqliteStoreOptions) {
    const given = expectKnownFields(options, OPTIONS);
    const connection = new Connection(given.client);
    super(given, {
      capabilities: {
        search: 'lexical',
        consistency: 'strong',
        durable: true,
        shared: true,
        atomicBatch: true,
        ttl: true,
        enumerate: true,
        filter: true,
        history: true,
      },
      open: (namespace) => new Records(connection, namespace),
    });
  }
}
