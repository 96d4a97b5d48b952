import type { Embedder } from '@keepsake/core';
import {
  AbstractRecordStore,
  expectKnownFields,
  type FieldNames,
  indexedFields,
  type RecordStoreOptions,
  STORE_OPTIONS,
} from '@keepsake/core/adapter';
import { checkEmbedder, checkLanguage, type Language } from '@keepsake/search';
import { backUp } from './database/back-up.ts';
import type { Database } from './database/database.ts';
import { openDatabase, SQLITE_OPTIONS, type SqliteOptions } from './database/database-options.ts';
import { SqliteRecords } from './records/sqlite-records.ts';

/** Options of a {@link SqliteStore}. */
export interface SqliteStoreOptions extends RecordStoreOptions, SqliteOptions {
  /**
   * The language of the records and the queries; `'none'` for neither stop words nor word forms. All stores of a namespace
   * must use the same one.
   *
   * @default the language that each text seems to be in
   */
  readonly language?: Language | undefined;
  /**
   * Adds search by meaning to search by words. A process keeps a copy of the vectors of each namespace that it searches.
   *
   * @default none: search by words only
   */
  readonly embedder?: Embedder | undefined;
  /**
   * Fields of metadata and source that filters often compare with a value, such as `['kind', 'source.run']`; at most 16. An
   * index leads lists and searches to the records with that value. Results are the same without. Every write into the
   * namespaces that this store has filtered keeps the index up to date, also of stores that don't declare the field.
   *
   * @default none
   */
  readonly indexed?: readonly string[] | undefined;
}

const OPTIONS: FieldNames<SqliteStoreOptions> = {
  ...STORE_OPTIONS,
  ...SQLITE_OPTIONS,
  language: true,
  embedder: true,
  indexed: true,
};

/**
 * Memory in an SQLite file that many processes on one machine can share. Each change, including a batch, is one transaction.
 *
 * @example
 * const store = new SqliteStore({ file: 'memory.db', name: 'facts', namespace: ['u', 'alice'] });
 * await store.add('Prefers aisle seats');
 */
export class SqliteStore extends AbstractRecordStore {
  readonly #database: Database;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Opens nothing. */
  constructor(options: SqliteStoreOptions) {
    const given = expectKnownFields(options, OPTIONS);
    const { language, embedder } = given;
    checkLanguage(language);
    checkEmbedder(embedder);
    const indexed = indexedFields(given.indexed);
    const database = openDatabase(given);
    super(given, {
      capabilities: {
        search: embedder === undefined ? 'lexical' : 'hybrid',
        consistency: 'strong',
        durable: true,
        shared: true,
        atomicBatch: true,
        ttl: true,
        enumerate: true,
        filter: true,
        history: true,
      },
      open: (namespace) => new SqliteRecords(namespace, { database, language, embedder, indexed }),
    });
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
