import { checkLifetime, expect, type FieldNames, type WithDefaults } from '@keepsake/core/adapter';
import { checkClient, type PrismaLike } from '../database/prisma-client.ts';
import { type OnCorrupt, warnOfDamage } from './session-damage.ts';

/** How to open a {@link PrismaSessionStore}. */
export interface PrismaSessionStoreOptions {
  /** A generated Prisma Client. Keepsake never disconnects it. */
  readonly prisma: PrismaLike;
  /**
   * How long a session lives after its last change, in milliseconds. Without this option, a session keeps the time that
   * another instance has given it.
   *
   * @default unlimited
   */
  readonly ttlMs?: number | undefined;
  /**
   * What restarts the time to live: changes only, or reads too.
   *
   * @default 'write'
   */
  readonly refresh?: 'write' | 'access' | undefined;
  /**
   * Called for each damaged item.
   *
   * @default a warning on the console
   */
  readonly onCorrupt?: OnCorrupt | undefined;
}

/** The fields of {@link PrismaSessionStoreOptions}. */
export const SESSION_STORE_OPTIONS: FieldNames<PrismaSessionStoreOptions> = {
  prisma: true,
  ttlMs: true,
  refresh: true,
  onCorrupt: true,
};

/** The options with their defaults. Without `ttlMs`, sessions keep their time to live. */
export type SessionOptions = WithDefaults<Omit<PrismaSessionStoreOptions, 'ttlMs'>> & {
  readonly ttlMs: number | undefined;
};

/** @throws MemoryError `INVALID_ARGUMENT` for invalid options. */
export function checkSessionOptions(options: PrismaSessionStoreOptions): SessionOptions {
  const { prisma, onCorrupt = warnOfDamage } = options ?? {};
  checkClient(prisma);
  expect(typeof onCorrupt === 'function', '`onCorrupt` must be a function.');
  return { prisma, onCorrupt, ...checkLifetime(options) };
}
