import { MemoryError } from '@keepsake/core';
import { checkClient, type PrismaLike } from './prisma-client.ts';
import { type OnCorrupt, warnOfDamage } from './session-damage.ts';

/** Where sessions are kept, and for how long. */
export interface PrismaSessionStoreOptions {
  /** A generated Prisma Client, which the caller disconnects. */
  readonly prisma: PrismaLike;
  /**
   * How long a session is kept after its last change, in milliseconds. Then it is gone for all who read, and with
   * {@link PrismaSessionStore.sweep} from the disk. By default for ever; a session that others have given a time keeps that.
   */
  readonly ttlMs?: number;
  /** What begins that time anew: changing the session, or reading it, too. By default `'write'`. */
  readonly refresh?: 'write' | 'access';
  /** Is told of items that can't be read. By default one warning on the console for each. */
  readonly onCorrupt?: OnCorrupt;
}

/** The options with their defaults; a `ttlMs` that is missing leaves things as they are. */
export type SessionOptions = Required<Omit<PrismaSessionStoreOptions, 'ttlMs'>> & {
  readonly ttlMs: number | undefined;
};

/** A thousand years. */
const MAX_TTL_MS = 1_000 * 365 * 24 * 3_600_000;

/** Checks the options; `INVALID_ARGUMENT` for what can't be used. */
export function checkSessionOptions(options: PrismaSessionStoreOptions): SessionOptions {
  const { prisma, ttlMs, refresh = 'write', onCorrupt = warnOfDamage } = options ?? {};
  checkClient(prisma);
  if (ttlMs !== undefined && !(Number.isInteger(ttlMs) && ttlMs >= 1 && ttlMs <= MAX_TTL_MS)) {
    throw new MemoryError(
      'INVALID_ARGUMENT',
      'ttlMs is to be a whole number of milliseconds, from 1 to a thousand years.',
    );
  }
  if (refresh !== 'write' && refresh !== 'access') {
    throw new MemoryError('INVALID_ARGUMENT', "refresh is to be 'write' or 'access'.");
  }
  if (refresh === 'access' && ttlMs === undefined) {
    throw new MemoryError('INVALID_ARGUMENT', "refresh: 'access' says when ttlMs begins anew. Give ttlMs, too.");
  }
  if (typeof onCorrupt !== 'function') throw new MemoryError('INVALID_ARGUMENT', 'onCorrupt is to be a function.');
  return { prisma, ttlMs, refresh, onCorrupt };
}
