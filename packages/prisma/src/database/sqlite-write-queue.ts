import { throwIfAborted } from '@keepsake/core/adapter';
import { untilAborted } from '@keepsake/internal';
import type { PrismaLike } from './prisma-client.ts';

const lastTurns = new WeakMap<PrismaLike, Promise<unknown>>();

/**
 * Writes when all earlier writes of this client have ended, including their retries. So the calls of a process are served in
 * order, and compete with other processes as one. Rejects with `ABORTED` without writing if the signal is aborted before its
 * turn.
 */
export async function inTurn<T>(
  prisma: PrismaLike,
  write: () => PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const former = lastTurns.get(prisma) ?? Promise.resolve();
  let hasBegun = false;
  const turn = former.then(() => {
    throwIfAborted(signal);
    hasBegun = true;
    return write();
  });
  lastTurns.set(
    prisma,
    turn.catch(() => {}),
  );
  const stopWaiting = () => {
    if (!hasBegun) throwIfAborted(signal);
  };
  if (signal !== undefined) await untilAborted(signal, () => former).catch(stopWaiting);
  return turn;
}
