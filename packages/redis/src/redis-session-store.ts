import {
  checkId,
  type DurableSession,
  type JsonObject,
  type Page,
  type PageOptions,
  pageLimit,
  readCursor,
  type SessionInfo,
  type SessionStore,
  uuidv7,
  writeCursor,
} from '@keepsake/core';
import { RedisSession } from './redis-session.ts';
import { describeSessions, type Listed, newestSessions } from './session-list.ts';
import { checkSessionOptions, type RedisSessionStoreOptions } from './session-options.ts';
import { StoredHistory } from './stored-history.ts';

/**
 * The sessions in Redis under one key prefix.
 *
 * Where sessions lie on several nodes of a cluster, the list of them orders by the clocks of the nodes.
 */
export class RedisSessionStore implements SessionStore {
  readonly #options: Required<RedisSessionStoreOptions>;
  readonly #given: RedisSessionStoreOptions;

  /** @throws MemoryError `INVALID_ARGUMENT` for options that can't be used. Sends nothing. */
  constructor(options: RedisSessionStoreOptions) {
    this.#options = checkSessionOptions(options);
    this.#given = options;
  }

  open<Item extends object = JsonObject>(sessionId: string = uuidv7()): DurableSession<Item> {
    return new RedisSession<Item>({ ...this.#given, sessionId });
  }

  async list(options?: PageOptions): Promise<Page<SessionInfo>> {
    const { client, keyPrefix } = this.#options;
    const limit = pageLimit(options);
    const items: SessionInfo[] = [];
    let after = readPlace(options?.cursor);
    for (;;) {
      const found = await newestSessions(client, keyPrefix, after, limit - items.length + 1);
      const page = found.slice(0, limit - items.length);
      items.push(...(await describeSessions(client, keyPrefix, page)));
      after = page.at(-1);
      if (found.length === page.length || after === undefined) return { items };
      if (items.length === limit)
        return { items, cursor: writeCursor('sessions', [after.activity, after.shard, after.sessionId]) };
      // Some are gone by now, or have expired: the page still has room.
    }
  }

  async delete(sessionId: string): Promise<boolean> {
    checkId(sessionId, 'sessionId');
    const { client, keyPrefix, ttlMs } = this.#options;
    return new StoredHistory(client, keyPrefix, sessionId, ttlMs).remove();
  }
}

function readPlace(cursor: string | undefined): Listed | undefined {
  const place = readCursor(cursor, 'sessions', ['number', 'number', 'string']);
  if (place === undefined) return undefined;
  return { activity: Number(place[0]), shard: Number(place[1]), sessionId: String(place[2]) };
}
