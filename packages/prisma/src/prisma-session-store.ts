import {
  checkId,
  type DurableSession,
  type JsonObject,
  type Page,
  type PageOptions,
  pageLimit,
  type SessionInfo,
  type SessionStore,
  uuidv7,
  writeCursor,
} from '@keepsake/core';
import { readPlace } from './cursors.ts';
import { openDatabase } from './database.ts';
import { PrismaSession } from './prisma-session.ts';
import { listSessions, sweepSessions } from './session-list.ts';
import { checkSessionOptions, type PrismaSessionStoreOptions } from './session-options.ts';
import { StoredSession } from './stored-session.ts';

/** The sessions in the database of a Prisma Client. */
export class PrismaSessionStore implements SessionStore {
  readonly #options: PrismaSessionStoreOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't be used. Sends nothing. */
  constructor(options: PrismaSessionStoreOptions) {
    checkSessionOptions(options);
    this.#options = options;
  }

  open<Item extends object = JsonObject>(sessionId: string = uuidv7()): DurableSession<Item> {
    return new PrismaSession<Item>({ ...this.#options, sessionId });
  }

  async list(options?: PageOptions): Promise<Page<SessionInfo>> {
    const limit = pageLimit(options);
    const before = readPlace(options?.cursor, 'sessions') ?? Number.MAX_SAFE_INTEGER;
    const database = await openDatabase(this.#options.prisma, 'sessions');
    // One more than asked for tells whether there is another page.
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
   * Removes the sessions that have expired from the disk, some at a time, and returns how many there were. Nobody reads
   * them anyway: call it now and then, from as many processes as you like.
   */
  async sweep(): Promise<number> {
    return sweepSessions(await openDatabase(this.#options.prisma, 'sessions'));
  }
}
