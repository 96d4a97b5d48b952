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
import { checkClient, type PrismaLike } from './database/prisma-client.ts';
import { Records, type RecordsOptions } from './stores/records.ts';

/** How to open a {@link PrismaStore}. */
export interface PrismaStoreOptions extends RecordStoreOptions {
  /** A generated Prisma Client. Keepsake never disconnects it. */
  readonly prisma: PrismaLike;
  /**
   * The language of records and queries. `'none'` turns stop words and word forms off.
   *
   * @default detected for each text
   */
  readonly language?: Language | undefined;
  /**
   * Adds search by meaning to search by words. Needs PostgreSQL with pgvector, and the migration in
   * `migrations/postgresql-vectors`.
   *
   * @default search by words only
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

const OPTIONS: FieldNames<PrismaStoreOptions> = {
  ...STORE_OPTIONS,
  prisma: true,
  language: true,
  embedder: true,
  indexed: true,
};

/**
 * Memory in PostgreSQL or SQLite, through a Prisma Client. Any number of processes can share it. Each change, including a
 * batch, is one atomic statement.
 *
 * @example
 * const store = new PrismaStore({ prisma, name: 'facts', namespace: ['u', 'alice'] });
 * await store.add('Prefers aisle seats');
 */
export class PrismaStore extends AbstractRecordStore {
  readonly #database: RecordsOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: PrismaStoreOptions) {
    const given = expectKnownFields(options, OPTIONS);
    const { prisma, language, embedder } = given;
    checkClient(prisma);
    checkLanguage(language);
    checkEmbedder(embedder);
    const database = { prisma, language, embedder, indexed: indexedFields(given.indexed) };
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
      open: (namespace) => new Records(database, namespace),
    });
    this.#database = database;
  }

  /**
   * Removes expired records from this namespace and those below, and returns how many there were. No call returns expired
   * records, but they take space until they are removed. Call this from time to time; several processes may do so at once.
   *
   * @throws MemoryError `READ_ONLY` if the store is not writable.
   */
  async sweep(): Promise<number> {
    return this.write(() => new Records(this.#database, this.namespace).sweep());
  }
}
