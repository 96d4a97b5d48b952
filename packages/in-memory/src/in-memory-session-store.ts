import {
  type AnyItem,
  type DurableSession,
  formatNamespace,
  type Page,
  type SessionInfo,
  type SessionListOptions,
  type SessionStore,
} from '@keepsake/core';
import { CursorSeal, checkId, checkSessionList, uuidv7 } from '@keepsake/core/adapter';
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
  readonly #histories = new Histories();
  readonly #cursors = new CursorSeal(crypto.randomUUID());

  open<Item extends object = AnyItem>(sessionId: string = uuidv7()): DurableSession<Item> {
    return new MappedSession<Item>(sessionId, this.#histories);
  }

  async list(options: SessionListOptions = {}): Promise<Page<SessionInfo>> {
    const { limit, cursor, idPrefix = '', segment } = checkSessionList(options);
    const before = (await this.#cursors.read(cursor, 'sessions', [])) ?? Infinity;
    const newestFirst = this.#histories
      .with(segment)
      .filter(([sessionId, history]) => history.activity < before && sessionId.startsWith(idPrefix))
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

/** By the ids of their sessions, and by the segments of the ids, so that the sessions of a user are found among many. */
class Histories extends Map<string, SessionHistory> {
  readonly #ids = new Map<string, Set<string>>();

  /** Those with a segment in the id of their session, or all. */
  with(segment: string | undefined): [sessionId: string, history: SessionHistory][] {
    if (segment === undefined) return [...this];
    const ids = this.#ids.get(formatNamespace([segment])) ?? [];
    return [...ids].map((sessionId) => [sessionId, this.get(sessionId) as SessionHistory]);
  }

  override set(sessionId: string, history: SessionHistory): this {
    if (!this.has(sessionId)) {
      for (const segment of sessionId.split(':')) {
        const ids = this.#ids.get(segment);
        if (ids === undefined) this.#ids.set(segment, new Set([sessionId]));
        else ids.add(sessionId);
      }
    }
    return super.set(sessionId, history);
  }

  override delete(sessionId: string): boolean {
    for (const segment of this.has(sessionId) ? sessionId.split(':') : []) {
      const ids = this.#ids.get(segment);
      if (ids?.delete(sessionId) && ids.size === 0) this.#ids.delete(segment);
    }
    return super.delete(sessionId);
  }
}
