import type { Embedder } from '@keepsake/core';
import { checkEmbedder, checkLanguage, HostedStore, type HostedStoreOptions, type Language } from '@keepsake/search';
import { checkClient, type PrismaLike } from './prisma-client.ts';
import { Records } from './records.ts';

/** How to open a {@link PrismaStore}. */
export interface PrismaStoreOptions extends HostedStoreOptions {
  /** A generated client. The store never disconnects it. */
  readonly prisma: PrismaLike;
  /**
   * The language of the records and the queries; `'none'` for neither stop words nor word forms.
   *
   * @default detected for each text
   */
  readonly language?: Language;
  /**
   * Adds search by meaning to search by words. Needs PostgreSQL with pgvector, and the migration in
   * `migrations/postgresql-vectors`.
   */
  readonly embedder?: Embedder;
}

/**
 * Memory in PostgreSQL or SQLite, through a Prisma Client. Many processes and machines can share it.
 *
 * Each change, also a batch, is one statement: all of it is written, or nothing. Search reads the full-text index of the
 * database, only within the namespace of the store, and gives the same scores as the other stores.
 *
 * @example
 * const store = new PrismaStore({ prisma, name: 'facts', namespace: ['user', 'alice'] });
 * await store.add('Prefers aisle seats');
 */
export class PrismaStore extends HostedStore {
  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't be used. Sends nothing. */
  constructor(options: PrismaStoreOptions) {
    const { prisma, language, embedder } = options ?? {};
    checkClient(prisma);
    checkLanguage(language);
    checkEmbedder(embedder);
    super(
      options,
      embedder === undefined ? 'lexical' : 'hybrid',
      (namespace) => new Records({ prisma, language, embedder }, namespace),
    );
  }

  /**
   * Removes expired records from this namespace and the namespaces below, and returns how many there were. No call returns
   * expired records, but they take space until they are removed. Call this now and then, from any one process.
   *
   * @throws MemoryError `READ_ONLY` if the store is not writable.
   */
  async sweep(): Promise<number> {
    return Number(await this.removeExpired());
  }
}
