import type { AnyItem } from '@keepsake/core';
import { AbstractSession, expectKnownFields, type FieldNames, uuidv7 } from '@keepsake/core/adapter';
import {
  checkSessionOptions,
  SESSION_STORE_OPTIONS,
  type SqliteSessionStoreOptions,
} from './sessions/session-options.ts';
import { SessionRows } from './sessions/session-rows.ts';

/** Options of a {@link SqliteSession}. */
export interface SqliteSessionOptions extends SqliteSessionStoreOptions {
  /**
   * The id of the session, 1 to 512 characters.
   *
   * @default a new UUID version 7
   */
  readonly sessionId?: string | undefined;
}

const OPTIONS: FieldNames<SqliteSessionOptions> = { ...SESSION_STORE_OPTIONS, sessionId: true };

/**
 * A session in an SQLite file that many processes on one machine can share. Each change is one transaction.
 *
 * @example
 * const session = new SqliteSession({ file: 'memory.db', sessionId: 'chat-42' });
 * await session.addItems([{ role: 'user', content: 'Hello' }]);
 */
export class SqliteSession<Item extends object = AnyItem> extends AbstractSession<Item> {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Opens nothing. */
  constructor(options: SqliteSessionOptions) {
    const { sessionId = uuidv7(), ...sessionOptions } = expectKnownFields(options, OPTIONS);
    super(sessionId, new SessionRows(sessionId, checkSessionOptions(sessionOptions)));
  }
}
