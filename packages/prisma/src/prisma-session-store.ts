import type { DurableSession, JsonObject, Page, PageOptions, SessionInfo, SessionStore } from '@keepsake/core';
import { checkId, expectKnownFields, PAGE_OPTIONS, pageLimit, uuidv7, writeCursor } from '@keepsake/core/adapter';
import { readNumber } from './database/cursors.ts';
import { openDatabase } from './database/database.ts';
import { PrismaSession } from './prisma-session.ts';
import { listSessions, sweepSessions } from './sessions/session-list.ts';
import {
  checkSessionOptions,
  type PrismaSessionStoreOptions,
  SESSION_STORE_OPTIONS,
} from './sessions/session-options.ts';
import { StoredSession } from './sessions/stored-session.ts';

/**
 * The sessions in the database of a Prisma Client.
 *
 * @example
 * const sessions = new PrismaSessionStore({ prisma });
 * const { items } = await sessions.list(); // newest activity first
 */
export class PrismaSessionStore implements SessionStore {
  readonly #options: PrismaSessionStoreOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: PrismaSessionStoreOptions) {
    expectKnownFields(options, SESSION_STORE_OPTIONS);
    checkSessionOptions(options);
    this.#options = options;
  }

  open<Item extends object = JsonObject>(sessionId: string = uuidv7()): DurableSession<Item> {
    return new PrismaSession<Item>({ ...this.#options, sessionId });
  }

  async list(options: PageOptions = {}): Promise<Page<SessionInfo>> {
    expectKnownFields(options, PAGE_OPTIONS);
    const limit = pageLimit(options);
    const before = readNumber(options.cursor, 'sessions') ?? Number.MAX_SAFE_INTEGER;
    const database = await openDatabase(this.#options.prisma, 'sessions');
    // One more than the page holds tells whether there is another page.
    const found = await listSessions(database, before, limit + 1);
    const items = found.slice(0, limit).map(({ info }) => info);
    const last = found[limit - 1];
    return found.length > limit && last ? { items, cursor: writeCursor('sessions', [last.activity]) } : { items };
  }

  async delete(sessionId: string): Promise<boolean> {
    checkId(sessionId, 'sessionId');
    return new StoredSession(this.#options.prisma, sessionId).remove();
  }

  /**
   * Removes expired sessions from the disk, and returns how many there were. No call returns expired sessions, but they
   * take space until they are removed. Call this from time to time; several processes may do so at once.
   */
  async sweep(): Promise<number> {
    return sweepSessions(await openDatabase(this.#options.prisma, 'sessions'));
  }
}
