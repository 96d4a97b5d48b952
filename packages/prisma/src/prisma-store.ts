import type { Embedder } from '@keepsake/core';
import { checkEmbedder, checkLanguage, HostedStore, type HostedStoreOptions, type Language } from '@keepsake/search';
import { checkClient, type PrismaLike } from './prisma-client.ts';
import { Records } from './records.ts';

/** How to open a {@link PrismaStore}. */
export interface PrismaStoreOptions extends HostedStoreOptions {
  /** A generated client. It is the caller's: the store never disconnects it. */
  readonly prisma: PrismaLike;
  /**
   * The language of the records and the queries; `'none'` for neither stop words nor word forms. By default each text is of
   * the language that it seems to be in.
   */
  readonly language?: Language;
  /**
   * Adds search by meaning to that by words, on PostgreSQL with pgvector, whose migration is one of its own. Scores are then
   * those of reciprocal rank fusion, 2/61 at most.
   */
  readonly embedder?: Embedder;
}

/**
 * Memory in PostgreSQL or SQLite, through a Prisma Client: many processes and machines can share it.
 *
 * Each change is one statement, and so is a batch: all of it lands or none. Search runs on the full-text index of the
 * database, of the store's own namespace alone, and ranks as the other stores do; two statements find and fetch the best
 * entries.
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
   * Removes the records, here and in the namespaces below, whose time is over: nobody sees them any longer, but they take
   * space until then. Returns how many there were. To be called now and then, by any one process.
   *
   * @throws MemoryError `READ_ONLY` where the store is for reading.
   */
  async sweep(): Promise<number> {
    return Number(await this.removeExpired());
  }
}
