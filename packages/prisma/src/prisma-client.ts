import { MemoryError } from '@keepsake/core';

/**
 * The few methods of a generated Prisma Client that are called. The client is the caller's: it is never disconnected, and
 * can be shared with anything else. Every statement has its values as parameters.
 */
export interface PrismaLike {
  $queryRawUnsafe<T = unknown>(query: string, ...values: unknown[]): PromiseLike<T>;
  $executeRawUnsafe(query: string, ...values: unknown[]): PromiseLike<number>;
  /** Takes a list of statements. A client within a transaction has none, and needs none. */
  $transaction?(statements: never): PromiseLike<unknown>;
}

/** Throws `INVALID_ARGUMENT` for what is no client. */
export function checkClient(prisma: PrismaLike): PrismaLike {
  if (typeof prisma?.$queryRawUnsafe === 'function') return prisma;
  throw new MemoryError('INVALID_ARGUMENT', 'prisma is to be a Prisma Client, such as new PrismaClient({ adapter }).');
}
