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
import { describeSessions, newestSessions, type Place } from './session-list.ts';
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
    const found = await newestSessions(client, keyPrefix, readPlace(options?.cursor), limit + 1);
    const page = found.slice(0, limit);
    const items = await describeSessions(client, keyPrefix, page);
    const last = page.at(-1);
    if (found.length <= limit || last === undefined) return { items };
    return { items, cursor: writeCursor('sessions', [last.activity, last.shard]) };
  }

  async delete(sessionId: string): Promise<boolean> {
    checkId(sessionId, 'sessionId');
    const { client, keyPrefix, ttlMs } = this.#options;
    return new StoredHistory(client, keyPrefix, sessionId, ttlMs).remove();
  }
}

function readPlace(cursor: string | undefined): Place | undefined {
  const [activity, shard] = readCursor(cursor, 'sessions', ['number', 'number']) ?? [];
  return activity === undefined ? undefined : { activity: Number(activity), shard: Number(shard) };
}
