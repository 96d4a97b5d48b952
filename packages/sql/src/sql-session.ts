import type { AnyItem } from '@keepsake/core';
import { AbstractSession } from '@keepsake/core/adapter';
import type { Driver } from './database/driver.ts';
import { checkSessionOptions, type SqlSessionOptions } from './sessions/session-options.ts';
import { StoredSession } from './sessions/stored-session.ts';

/**
 * A session in PostgreSQL or SQLite. Any number of processes can share it. Each change is one atomic statement.
 */
export class SqlSession<Item extends object = AnyItem> extends AbstractSession<Item> {
  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(driver: Driver, sessionId: string, options: SqlSessionOptions) {
    super(sessionId, new StoredSession(driver, sessionId, checkSessionOptions(options)));
  }
}
