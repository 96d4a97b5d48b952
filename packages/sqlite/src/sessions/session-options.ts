import { checkLifetime, type FieldNames } from '@keepsake/core/adapter';
import type { Database } from '../database/database.ts';
import { openDatabase, SQLITE_OPTIONS, type SqliteOptions } from '../database/database-options.ts';

/** Where sessions are stored, and for how long. */
export interface SqliteSessionStoreOptions extends SqliteOptions {
  /**
   * How long a session is kept after its last change, in milliseconds.
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
}

/** The names of {@link SqliteSessionStoreOptions}. The options of a session add to them. */
export const SESSION_STORE_OPTIONS: FieldNames<SqliteSessionStoreOptions> = {
  ...SQLITE_OPTIONS,
  ttlMs: true,
  refresh: true,
};

/** The checked options of a session. */
export interface SessionSettings {
  readonly database: Database;
  readonly ttlMs: number | undefined;
  readonly refresh: 'write' | 'access';
}

/** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Opens nothing. */
export function checkSessionOptions(options: SqliteSessionStoreOptions): SessionSettings {
  return { database: openDatabase(options), ...checkLifetime(options) };
}
