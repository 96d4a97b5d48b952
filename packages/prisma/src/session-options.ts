import type { FieldNames } from '@keepsake/core/adapter';
import { SQL_SESSION_OPTIONS, type SqlSessionOptions } from '@keepsake/sql';
import type { PrismaLike } from './database/prisma-client.ts';

/** How to open a {@link PrismaSessionStore}. */
export interface PrismaSessionStoreOptions extends SqlSessionOptions {
  /** A generated Prisma Client. Keepsake never disconnects it. */
  readonly prisma: PrismaLike;
}

/** The fields of {@link PrismaSessionStoreOptions}. */
export const SESSION_STORE_OPTIONS: FieldNames<PrismaSessionStoreOptions> = { ...SQL_SESSION_OPTIONS, prisma: true };
