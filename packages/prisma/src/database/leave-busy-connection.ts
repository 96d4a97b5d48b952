import { isBusy } from '@keepsake/sql';
import { isWithinTransaction, type PrismaLike } from './prisma-client.ts';

/*
 * libSQL's driver for SQLite never finishes a statement that met SQLITE_BUSY, and until it does, the connection commits
 * nothing: later writes appear to succeed, are visible to this connection only, and are lost in the end. A transaction makes
 * the driver open a new connection. In a transaction that the caller has opened, this is not possible, and the transaction
 * fails.
 */

/**
 * From now on, SQLite waits up to this many milliseconds for other writers. It blocks the process, but it costs much less than
 * to fail and to connect again.
 */
const WAIT = 'PRAGMA busy_timeout = 25';

/** Sends a statement. After SQLITE_BUSY, makes the driver open a new connection. */
export async function leavingWhenBusy<T>(prisma: PrismaLike, work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isBusy(error) && !isWithinTransaction(prisma)) await leaveConnection(prisma);
    throw error;
  }
}

async function leaveConnection(prisma: PrismaLike): Promise<void> {
  const transaction = prisma.$transaction as ((statements: unknown[]) => PromiseLike<unknown>) | undefined;
  const nothing = () => prisma.$queryRawUnsafe('SELECT 1');
  try {
    // Prisma opens no transaction for a single statement.
    await transaction?.call(prisma, [nothing(), nothing()]);
  } catch {
    // It cannot commit either, which does no harm, because it is empty.
  }
  // The call continues without: it will meet SQLITE_BUSY a little more often.
  await prisma.$queryRawUnsafe(WAIT).then(undefined, () => {});
}
