import { checkLifetime, expect, type FieldNames } from '@keepsake/core/adapter';
import type { Database } from '../database/database.ts';
import { openDatabase, SQLITE_OPTIONS, type SqliteOptions } from '../database/database-options.ts';

/** An item of a session that is not a valid JSON object. It is kept unchanged. */
export interface DamagedItem {
  readonly sessionId: string;
  /** Its number in the session; 1 is the oldest item. */
  readonly number: number;
}

/** Each session instance calls it once per damaged item that it reads. */
export type OnCorrupt = (item: DamagedItem) => void;

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
  /**
   * Called for each damaged item.
   *
   * @default a warning on the console
   */
  readonly onCorrupt?: OnCorrupt | undefined;
}

/** The names of {@link SqliteSessionStoreOptions}. The options of a session add to them. */
export const SESSION_STORE_OPTIONS: FieldNames<SqliteSessionStoreOptions> = {
  ...SQLITE_OPTIONS,
  ttlMs: true,
  refresh: true,
  onCorrupt: true,
};

/** The checked options of a session. */
export interface SessionSettings {
  readonly database: Database;
  readonly ttlMs: number | undefined;
  readonly refresh: 'write' | 'access';
  readonly onCorrupt: OnCorrupt;
}

/** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Opens nothing. */
export function checkSessionOptions(options: SqliteSessionStoreOptions): SessionSettings {
  const { onCorrupt = warnOfDamage } = options;
  expect(typeof onCorrupt === 'function', '`onCorrupt` must be a function.');
  return { database: openDatabase(options), onCorrupt, ...checkLifetime(options) };
}

/** Warns on the console, without the content of the item. */
function warnOfDamage({ sessionId, number }: DamagedItem): void {
  console.warn(
    `Keepsake: item ${number} of session ${JSON.stringify(sessionId)} in keepsake_items is not a JSON object. It is skipped and kept unchanged.`,
  );
}
