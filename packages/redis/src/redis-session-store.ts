import type { AnyItem, DurableSession, Page, SessionInfo, SessionListOptions, SessionStore } from '@keepsake/core';
import { checkId, checkSessionList, expectKnownFields, readCursor, uuidv7, writeCursor } from '@keepsake/core/adapter';
import { RedisSession } from './redis-session.ts';
import { describeSessions, type Listed, newestAmong, newestSessions } from './sessions/session-list.ts';
import {
  type CheckedSessionOptions,
  checkSessionOptions,
  type RedisSessionStoreOptions,
  SESSION_STORE_OPTIONS,
} from './sessions/session-options.ts';
import { StoredHistory } from './sessions/stored-history.ts';

/**
 * The sessions in Redis under one key prefix.
 *
 * On a cluster, `list` orders sessions by the clocks of the nodes that they are on.
 *
 * @example
 * const sessions = new RedisSessionStore({ client: new Redis() });
 * const { items } = await sessions.list({ limit: 20 });
 * const session = sessions.open(items[0]?.sessionId);
 */
export class RedisSessionStore implements SessionStore {
  readonly #options: CheckedSessionOptions;
  readonly #storeOptions: RedisSessionStoreOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Sends nothing. */
  constructor(options: RedisSessionStoreOptions) {
    this.#storeOptions = expectKnownFields(options, SESSION_STORE_OPTIONS);
    this.#options = checkSessionOptions(this.#storeOptions);
  }

  open<Item extends object = AnyItem>(sessionId: string = uuidv7()): DurableSession<Item> {
    return new RedisSession<Item>({ ...this.#storeOptions, sessionId });
  }

  async list(options: SessionListOptions = {}): Promise<Page<SessionInfo>> {
    const { limit, cursor, idPrefix, segment } = checkSessionList(options);
    const { client, keyPrefix } = this.#options;
    const items: SessionInfo[] = [];
    let after = readPosition(cursor);
    for (;;) {
      const count = limit - items.length + 1;
      const sessions =
        idPrefix === undefined && segment === undefined
          ? await newestSessions(client, keyPrefix, after, count)
          : await newestAmong(client, keyPrefix, { idPrefix, segment }, after, count);
      const page = sessions.slice(0, limit - items.length);
      items.push(...(await describeSessions(client, keyPrefix, page)));
      after = page.at(-1);
      if (sessions.length === page.length || after === undefined) return { items };
      if (items.length === limit)
        return { items, cursor: writeCursor('sessions', [after.activity, after.shard, after.sessionId]) };
      // Some were deleted or have expired, so the page still has room.
    }
  }

  async delete(sessionId: string): Promise<boolean> {
    checkId(sessionId, 'sessionId');
    return new StoredHistory(sessionId, this.#options).remove();
  }
}

function readPosition(cursor: string | undefined): Listed | undefined {
  const position = readCursor(cursor, 'sessions', ['number', 'number', 'string']);
  if (position === undefined) return undefined;
  return { activity: Number(position[0]), shard: Number(position[1]), sessionId: String(position[2]) };
}
