import type { AnyItem } from '@keepsake/core';
import { expectKnownFields, type FieldNames, uuidv7 } from '@keepsake/core/adapter';
import { SqlSession } from '@keepsake/sql';
import { driverOf } from './postgres-driver.ts';
import { type PostgresSessionStoreOptions, SESSION_STORE_OPTIONS } from './session-options.ts';

/** How to open a {@link PostgresSession}. */
export interface PostgresSessionOptions extends PostgresSessionStoreOptions {
  /** @default a new UUID, version 7 */
  readonly sessionId?: string | undefined;
}

const OPTIONS: FieldNames<PostgresSessionOptions> = { ...SESSION_STORE_OPTIONS, sessionId: true };

/**
 * A session in PostgreSQL. Any number of processes can share it. Each change is one atomic statement.
 *
 * @example
 * const session = new PostgresSession({ client: pool, sessionId: 'chat-42' });
 * await session.addItems([{ role: 'user', content: 'Where were we?' }]);
 */
export class PostgresSession<Item extends object = AnyItem> extends SqlSession<Item> {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: PostgresSessionOptions) {
    const { sessionId = uuidv7(), ...sessionOptions } = expectKnownFields(options, OPTIONS);
    super(driverOf(sessionOptions), sessionId, sessionOptions);
  }
}
