import type { AnyItem, DurableSession, Page, SessionInfo, SessionListOptions, SessionStore } from '@keepsake/core';
import { checkId, checkSessionList } from '@keepsake/core/adapter';
import { cursorSeal } from './database/cursor-seal.ts';
import { openDatabase } from './database/database.ts';
import type { Driver } from './database/driver.ts';
import { eraseDeleted } from './database/erase-deleted.ts';
import { listSessions, sweepSessions } from './sessions/session-list.ts';
import { checkSessionOptions, type SessionOptions, type SqlSessionOptions } from './sessions/session-options.ts';
import { StoredSession } from './sessions/stored-session.ts';

/** The sessions in a database. A subclass opens one. */
export abstract class SqlSessionStore implements SessionStore {
  readonly #driver: Driver;
  readonly #options: SessionOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(driver: Driver, options: SqlSessionOptions) {
    this.#driver = driver;
    this.#options = checkSessionOptions(options);
  }

  abstract open<Item extends object = AnyItem>(sessionId?: string): DurableSession<Item>;

  async list(options: SessionListOptions = {}): Promise<Page<SessionInfo>> {
    const { limit, cursor, idPrefix, segment } = checkSessionList(options);
    const database = await openDatabase(this.#driver);
    const seal = await cursorSeal(database);
    const before = (await seal.read(cursor, 'sessions', [])) ?? Number.MAX_SAFE_INTEGER;
    // One more than the page holds tells whether there is another page.
    const sessions = await listSessions(database, { before, idPrefix, segment, count: limit + 1 });
    const items = sessions.slice(0, limit).map(({ info }) => info);
    const last = sessions[limit - 1];
    if (sessions.length <= limit || last === undefined) return { items };
    return { items, cursor: await seal.write('sessions', [], last.activity) };
  }

  async delete(sessionId: string): Promise<boolean> {
    checkId(sessionId, 'sessionId');
    return new StoredSession(this.#driver, sessionId, this.#options).remove();
  }

  /**
   * Removes expired sessions from the disk, and returns how many there were. No call returns expired sessions, but they
   * take space until they are removed. Call this from time to time; several processes may do so at once.
   */
  async sweep(): Promise<number> {
    return sweepSessions(await openDatabase(this.#driver));
  }

  /**
   * Removes expired sessions. On SQLite, also removes deleted text from the bytes of the files: it rewrites the whole
   * database, other tables included, which blocks writers meanwhile. PostgreSQL does that on its own when it vacuums.
   */
  async compact(): Promise<void> {
    await this.sweep();
    await eraseDeleted(await openDatabase(this.#driver));
  }
}
