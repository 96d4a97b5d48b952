import { MemoryError } from '@keepsake/core';

/**
 * The few methods of a generated Prisma Client that are called. The client is the caller's: it is never disconnected, and
 * can be shared with anything else. Every statement has its values as parameters.
 */
export interface PrismaLike {
  $queryRawUnsafe<T = unknown>(query: string, ...values: unknown[]): PromiseLike<T>;
  $executeRawUnsafe(query: string, ...values: unknown[]): PromiseLike<number>;
  /** Takes a list of statements. With SQLite, it gets away from a connection that can't commit any more. */
  $transaction?(statements: never): PromiseLike<unknown>;
}

/** Throws `INVALID_ARGUMENT` for what is no client. */
export function checkClient(prisma: PrismaLike): PrismaLike {
  if (typeof prisma?.$queryRawUnsafe === 'function' && typeof prisma.$executeRawUnsafe === 'function') return prisma;
  throw new MemoryError('INVALID_ARGUMENT', 'prisma is to be a Prisma Client, such as new PrismaClient({ adapter }).');
}

/** By which Prisma knows a client within a transaction. */
const SCOPE = Symbol.for('prisma.client.transaction.scope_context');

/** Whether a client is within a transaction of the caller's: what fails there, fails with all of it. */
export function isWithinTransaction(prisma: PrismaLike): boolean {
  return SCOPE in prisma;
}
