import type { AnyItem, DurableSession } from '@keepsake/core';
import { expectKnownFields, uuidv7 } from '@keepsake/core/adapter';
import { SqlSessionStore } from '@keepsake/sql';
import { driverOf } from './postgres-driver.ts';
import { PostgresSession } from './postgres-session.ts';
import { type PostgresSessionStoreOptions, SESSION_STORE_OPTIONS } from './session-options.ts';

/**
 * The sessions in a PostgreSQL database.
 *
 * @example
 * const sessions = new PostgresSessionStore({ client: pool });
 * const { items } = await sessions.list(); // newest activity first
 */
export class PostgresSessionStore extends SqlSessionStore {
  readonly #options: PostgresSessionStoreOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: PostgresSessionStoreOptions) {
    const checkedOptions = expectKnownFields(options, SESSION_STORE_OPTIONS);
    super(driverOf(checkedOptions), checkedOptions);
    this.#options = checkedOptions;
  }

  open<Item extends object = AnyItem>(sessionId: string = uuidv7()): DurableSession<Item> {
    return new PostgresSession<Item>({ ...this.#options, sessionId });
  }
}
