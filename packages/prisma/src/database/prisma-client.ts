import { MemoryError } from '@keepsake/core';

/**
 * The methods that Keepsake calls on your generated Prisma Client. Keepsake never disconnects the client, and passes every
 * value as a parameter.
 */
export interface PrismaLike {
  $queryRawUnsafe<T = unknown>(query: string, ...values: unknown[]): PromiseLike<T>;
  $executeRawUnsafe(query: string, ...values: unknown[]): PromiseLike<number>;
  /** With SQLite, an array of statements makes the driver leave a connection that cannot commit any more. */
  $transaction?(statements: never): PromiseLike<unknown>;
}

/** @throws MemoryError `INVALID_ARGUMENT` if this is not a Prisma Client. */
export function checkClient(prisma: PrismaLike): PrismaLike {
  if (typeof prisma?.$queryRawUnsafe === 'function' && typeof prisma.$executeRawUnsafe === 'function') return prisma;
  throw new MemoryError('INVALID_ARGUMENT', '`prisma` must be a Prisma Client, such as new PrismaClient({ adapter }).');
}

/** Prisma marks the client of a transaction with this symbol. */
const SCOPE = Symbol.for('prisma.client.transaction.scope_context');

/** Whether this is the client of a transaction that the caller has opened. If a statement fails there, all of it fails. */
export function isWithinTransaction(prisma: PrismaLike): boolean {
  return SCOPE in prisma;
}
