import { isWithinTransaction, type PrismaLike } from './prisma-client.ts';
import { isCollision } from './prisma-errors.ts';

/*
 * libSQL's driver for SQLite never finishes a statement that met SQLITE_BUSY, and until it does, the connection commits
 * nothing: later writes appear to succeed, are visible to this connection only, and are lost in the end. A transaction makes
 * the driver open a new connection. So writes take turns, and after SQLITE_BUSY a turn ends with an empty transaction. In a
 * transaction that the caller has opened, this is not possible, and the transaction fails.
 */

const lastTurns = new WeakMap<PrismaLike, Promise<unknown>>();

/** Writes when all earlier writes of this client have ended. Leaves a connection that cannot commit any more. */
export function inTurn<T>(prisma: PrismaLike, write: () => PromiseLike<T>): Promise<T> {
  const turn = (lastTurns.get(prisma) ?? Promise.resolve()).then(async () => {
    try {
      return await write();
    } catch (error) {
      if (isCollision(error) && !isWithinTransaction(prisma)) await leaveConnection(prisma);
      throw error;
    }
  });
  lastTurns.set(
    prisma,
    turn.catch(() => {}),
  );
  return turn;
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
}
