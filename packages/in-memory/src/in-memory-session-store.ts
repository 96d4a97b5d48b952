import type { AnyItem, DurableSession, Page, SessionInfo, SessionListOptions, SessionStore } from '@keepsake/core';
import { CursorSeal, checkId, checkSessionList, hasSegment, uuidv7 } from '@keepsake/core/adapter';
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
  readonly #cursors = new CursorSeal(crypto.randomUUID());

  open<Item extends object = AnyItem>(sessionId: string = uuidv7()): DurableSession<Item> {
    return new MappedSession<Item>(sessionId, this.#histories);
  }

  async list(options: SessionListOptions = {}): Promise<Page<SessionInfo>> {
    const { limit, cursor, idPrefix = '', segment } = checkSessionList(options);
    const before = (await this.#cursors.read(cursor, 'sessions', [])) ?? Infinity;
    const newestFirst = [...this.#histories]
      .filter(([sessionId, history]) => history.activity < before && sessionId.startsWith(idPrefix))
      .filter(([sessionId]) => hasSegment(sessionId, segment))
      .sort(([, a], [, b]) => b.activity - a.activity);
    const items = newestFirst.slice(0, limit).map(([sessionId, history]) => ({
      sessionId,
      itemCount: history.length,
      createdAt: history.createdAt,
      updatedAt: history.updatedAt,
    }));
    const last = newestFirst[limit - 1]?.[1];
    if (newestFirst.length <= limit || last === undefined) return { items };
    return { items, cursor: await this.#cursors.write('sessions', [], last.activity) };
  }

  async delete(sessionId: string): Promise<boolean> {
    checkId(sessionId, 'sessionId');
    return this.#histories.delete(sessionId);
  }
}
