import { MemoryError } from '@keepsake/core';
import { checkPrefix } from './keys.ts';
import { checkClient, type RedisClient } from './redis-client.ts';
import { type OnCorrupt, warnOfDamage } from './session-damage.ts';

/** Where sessions are kept, and for how long. */
export interface RedisSessionStoreOptions {
  /** A `Redis` or `Cluster` of ioredis, which the caller closes. */
  readonly client: RedisClient;
  /** What all keys begin with, by default `keepsake:`. Sessions of another prefix are others. */
  readonly keyPrefix?: string;
  /**
   * How long a session is kept after its last change, in milliseconds. Its items are gone then, and all else at most a
   * 64th of that time later. By default for ever; a session that others have given a time keeps that.
   */
  readonly ttlMs?: number;
  /** What begins that time anew: changing the session, or reading it, too. By default `'write'`. */
  readonly refresh?: 'write' | 'access';
  /** Is told of items that can't be read. By default one warning on the console for each. */
  readonly onCorrupt?: OnCorrupt;
}

/** A thousand years. */
const MAX_TTL_MS = 1_000 * 365 * 24 * 3_600_000;

/** The options with their defaults; `INVALID_ARGUMENT` for what can't be used. A `ttlMs` of 0 leaves things as they are. */
export function checkSessionOptions(options: RedisSessionStoreOptions): Required<RedisSessionStoreOptions> {
  const { client, keyPrefix, ttlMs, refresh = 'write', onCorrupt = warnOfDamage } = options ?? {};
  checkClient(client);
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
  return { client, keyPrefix: checkPrefix(keyPrefix), ttlMs: ttlMs ?? 0, refresh, onCorrupt };
}
