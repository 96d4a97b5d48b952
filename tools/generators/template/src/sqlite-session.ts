import type { JsonObject } from '@keepsake/core';
import { AbstractSession, expectKnownFields, uuidv7 } from '@keepsake/core/adapter';
import { connect, type SqliteClient } from './connection.ts';
import { sessionRows } from './session-rows.ts';

/** Options of a {@link SqliteSession}. */
export interface SqliteSessionOptions {
  readonly client: SqliteClient;
  /** @default a fresh UUID version 7 */
  readonly sessionId?: string | undefined;
}

/**
 * A session in SQLite. Every change is one transaction, so several processes can share it.
 *
 * @example
 * const session = new SqliteSession({ client: new DatabaseSync('memory.db'), sessionId: 'chat' });
 * await session.addItems([{ role: 'user', content: 'Hello' }]);
 */
export class SqliteSession<Item extends object = JsonObject> extends AbstractSession<Item> {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Writes nothing. */
  constructor(options: SqliteSessionOptions) {
    const { client, sessionId = uuidv7() } = expectKnownFields(options, { client: true, sessionId: true });
    super(sessionId, sessionRows(connect(client), sessionId));
  }
}
