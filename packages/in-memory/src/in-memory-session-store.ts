import type { DurableSession, JsonObject, Page, PageOptions, SessionInfo, SessionStore } from '@keepsake/core';
import {
  checkId,
  expectKnownFields,
  PAGE_OPTIONS,
  pageLimit,
  readCursor,
  uuidv7,
  writeCursor,
} from '@keepsake/core/adapter';
import { MappedSession } from './mapped-session.ts';
import type { SessionHistory } from './session-history.ts';

/**
 * Sessions in the memory of this process, for tests and development. They are lost with this object.
 *
 * @example
 * const sessions = new InMemorySessionStore();
 * const session = sessions.open('chat-42');
 */
export class InMemorySessionStore implements SessionStore {
  readonly #histories = new Map<string, SessionHistory>();

  open<Item extends object = JsonObject>(sessionId?: string): DurableSession<Item> {
    return new MappedSession<Item>(sessionId ?? uuidv7(), this.#histories);
  }

  async list(options: PageOptions = {}): Promise<Page<SessionInfo>> {
    expectKnownFields(options, PAGE_OPTIONS);
    const limit = pageLimit(options);
    const [updatedBefore] = readCursor(options.cursor, 'sessions', ['number']) ?? [Infinity];
    const newestFirst = [...this.#histories]
      .filter(([, history]) => history.activity < Number(updatedBefore))
      .sort(([, a], [, b]) => b.activity - a.activity);
    const items = newestFirst.slice(0, limit).map(([sessionId, history]) => ({
      sessionId,
      itemCount: history.length,
      createdAt: history.createdAt,
      updatedAt: history.updatedAt,
    }));
    const last = newestFirst[limit - 1]?.[1];
    return newestFirst.length > limit && last ? { items, cursor: writeCursor('sessions', [last.activity]) } : { items };
  }

  async delete(sessionId: string): Promise<boolean> {
    checkId(sessionId, 'sessionId');
    return this.#histories.delete(sessionId);
  }
}
