import { expect, expectWhole } from '../common/expect.ts';
import { MAX_TTL_MS } from '../common/limits.ts';

/** The lifetime of sessions. */
interface SessionLifetime {
  readonly ttlMs?: number | undefined;
  readonly refresh?: 'write' | 'access' | undefined;
}

/** Throws `INVALID_ARGUMENT` for an invalid lifetime. Fills in `refresh`. */
export function checkLifetime({ ttlMs, refresh = 'write' }: SessionLifetime) {
  if (ttlMs !== undefined) expectWhole(ttlMs, '`ttlMs`', 1, MAX_TTL_MS);
  expect(refresh === 'write' || refresh === 'access', "`refresh` must be 'write' or 'access'.");
  expect(refresh === 'write' || ttlMs !== undefined, "`refresh: 'access'` needs `ttlMs`.");
  return { ttlMs, refresh } as const;
}
