import { checkLifetime, expect, type FieldNames } from '@keepsake/core/adapter';
import type { WithDefaults } from '@keepsake/internal';
import { type OnCorrupt, warnOfDamage } from './session-damage.ts';

/** How a store opens its sessions. */
export interface SqlSessionOptions {
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

/** The fields of {@link SqlSessionOptions}. */
export const SQL_SESSION_OPTIONS: FieldNames<SqlSessionOptions> = {
  ttlMs: true,
  refresh: true,
  onCorrupt: true,
};

/** The options with their defaults. Without `ttlMs`, sessions keep their time to live. */
export type SessionOptions = WithDefaults<Omit<SqlSessionOptions, 'ttlMs'>> & { readonly ttlMs: number | undefined };

/** @throws MemoryError `INVALID_ARGUMENT` for invalid options. */
export function checkSessionOptions(options: SqlSessionOptions): SessionOptions {
  const { onCorrupt = warnOfDamage } = options;
  expect(typeof onCorrupt === 'function', '`onCorrupt` must be a function.');
  return { onCorrupt, ...checkLifetime(options) };
}
