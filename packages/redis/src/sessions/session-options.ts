import { checkLifetime, expect, type FieldNames } from '@keepsake/core/adapter';
import type { WithDefaults } from '@keepsake/internal';
import {
  CONNECTION_OPTIONS,
  checkConnection,
  type RedisConnection,
  type RedisConnectionOptions,
} from '../client/connection-options.ts';
import { type OnCorrupt, warnOfDamage } from './session-damage.ts';

/** Where sessions are stored, and for how long. */
export interface RedisSessionStoreOptions extends RedisConnectionOptions {
  /**
   * How long a session is kept after its last change, in milliseconds. Its items expire then, and its other keys at most a
   * 64th of that time later.
   *
   * @default none: a session keeps the TTL that it has, and a new one never expires
   */
  readonly ttlMs?: number | undefined;
  /**
   * What restarts the TTL: changes of the session, or with `'access'` also reading it.
   *
   * @default 'write'
   */
  readonly refresh?: 'write' | 'access' | undefined;
  /**
   * Called with each damaged item, once per instance of the session.
   *
   * @default warns on the console
   */
  readonly onCorrupt?: OnCorrupt | undefined;
}

/** The names of {@link RedisSessionStoreOptions}. The options of a session add to them. */
export const SESSION_STORE_OPTIONS: FieldNames<RedisSessionStoreOptions> = {
  ...CONNECTION_OPTIONS,
  ttlMs: true,
  refresh: true,
  onCorrupt: true,
};

/** Checked options with their defaults, with a `ttlMs` of 0 for none. */
export type CheckedSessionOptions = RedisConnection &
  WithDefaults<Omit<RedisSessionStoreOptions, keyof RedisConnectionOptions>>;

/** Throws `INVALID_ARGUMENT` for invalid options. */
export function checkSessionOptions(options: RedisSessionStoreOptions): CheckedSessionOptions {
  const connection = checkConnection(options);
  const { ttlMs = 0, refresh } = checkLifetime(options);
  const { onCorrupt = warnOfDamage } = options;
  expect(typeof onCorrupt === 'function', '`onCorrupt` must be a function.');
  return { ...connection, ttlMs, refresh, onCorrupt };
}
