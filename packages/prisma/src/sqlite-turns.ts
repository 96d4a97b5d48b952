import { isWithinTransaction, type PrismaLike } from './prisma-client.ts';
import { isCollision } from './prisma-errors.ts';

/*
 * The SQLite of libSQL never ends a statement that met SQLITE_BUSY, and as long as one is open, its connection commits
 * nothing more: what it writes then is answered as done, seen by itself alone, and lost in the end. A transaction makes
 * the driver leave the connection for a new one. So writes take turns, and a turn that met SQLITE_BUSY ends with that. A
 * transaction of the caller's can't leave its own: it is over then.
 */

const lastTurns = new WeakMap<PrismaLike, Promise<unknown>>();

/** Writes when all writes of this client that came before have ended; leaves a connection that can't commit. */
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
    // Of a single statement, Prisma makes no transaction.
    await transaction?.call(prisma, [nothing(), nothing()]);
  } catch {
    // It can't be committed either, which does no harm: there is nothing in it.
  }
}
