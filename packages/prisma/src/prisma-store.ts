import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { LOG_STORE_OPTIONS, LogStore, type LogStoreOptions } from '@keepsake/search';
import { SqlLogs } from '@keepsake/sql';
import type { PrismaLike } from './database/prisma-client.ts';
import { driverOf } from './database/prisma-driver.ts';

/** Options of a {@link PrismaStore}. */
export interface PrismaStoreOptions extends LogStoreOptions {
  /** A generated Prisma Client. Keepsake never disconnects it. */
  readonly prisma: PrismaLike;
}

const OPTIONS: FieldNames<PrismaStoreOptions> = { ...LOG_STORE_OPTIONS, prisma: true };

/**
 * Memory in PostgreSQL or SQLite, through a Prisma Client. Any number of processes can share it. Each change, including a
 * batch, is one atomic statement.
 *
 * @example
 * const store = new PrismaStore({ prisma, name: 'facts', namespace: ['u', 'alice'] });
 * await store.add('Prefers aisle seats');
 */
export class PrismaStore extends LogStore {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: PrismaStoreOptions) {
    const checkedOptions = expectKnownFields(options, OPTIONS);
    super(checkedOptions, new SqlLogs(driverOf(checkedOptions.prisma), checkedOptions.embedder), OPTIONS);
  }
}
