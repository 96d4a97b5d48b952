import {
  type DurableSession,
  type JsonObject,
  MemoryError,
  type Page,
  type SessionInfo,
  type SessionListOptions,
  type SessionStore,
} from '@keepsake/core';
import { checkSessionList, hasSegment, uuidv7 } from '@keepsake/core/adapter';
import { type Actor, ownSessionId, storedPrefix, storedSessionId } from '../space/session-ids.ts';
import type { Guard } from './guarded-records.ts';
import { GuardedSession } from './guarded-session.ts';

/** How many sessions are read at a time. */
const STEP = 1_000;

/**
 * The conversations of one actor, by the actor's own ids: up to 256 characters each, fewer if names are long, because the id
 * in the store is limited to 512.
 */
export class GuardedSessionStore implements SessionStore {
  readonly #sessions: SessionStore | undefined;
  readonly #actor: Actor;
  readonly #write: Guard['write'];

  constructor(sessions: SessionStore | undefined, actor: Actor, write: Guard['write']) {
    this.#sessions = sessions;
    this.#actor = actor;
    this.#write = write;
    Object.freeze(this);
  }

  open<Item extends object = JsonObject>(sessionId: string = uuidv7()): DurableSession<Item> {
    const session = this.#store().open<Item>(storedSessionId(this.#actor, sessionId));
    return new GuardedSession(sessionId, session, this.#write);
  }

  /** Reads the sessions of the actor; without authentication, also those of the principals of the same agent. */
  async list(options: SessionListOptions = {}): Promise<Page<SessionInfo>> {
    const checkedOptions = checkSessionList(options);
    const { limit, segment } = checkedOptions;
    const idPrefix = storedPrefix(this.#actor, checkedOptions.idPrefix);
    const items: SessionInfo[] = [];
    for (let { cursor } = checkedOptions; ; ) {
      const page = await this.#page({ idPrefix, segment }, cursor, STEP);
      const left = limit - items.length;
      // If the page has at least as many as fit, read it again up to the last that fits. A cursor may reveal the id at which it points, so it must point at a session of the actor, not of another.
      const isFull = page.own.length > left || (page.own.length === left && page.cursor !== undefined);
      const end = isFull ? (page.own[left - 1]?.end ?? 1) : undefined;
      const taken = end === undefined ? page : await this.#page({ idPrefix, segment }, cursor, end);
      items.push(...taken.own.map(({ info }) => info));
      if (taken.cursor === undefined) return { items };
      if (end !== undefined) return { items, cursor: taken.cursor };
      cursor = taken.cursor;
    }
  }

  async delete(sessionId: string): Promise<boolean> {
    const stored = storedSessionId(this.#actor, sessionId);
    return this.#write(() => this.#store().delete(stored));
  }

  async #page(
    { idPrefix, segment }: Pick<SessionListOptions, 'idPrefix' | 'segment'>,
    cursor: string | undefined,
    limit: number,
  ) {
    const page = await this.#store().list({ limit, idPrefix, ...(cursor !== undefined && { cursor }) });
    const own = page.items.flatMap((info, index) => {
      const sessionId = ownSessionId(this.#actor, info.sessionId);
      return sessionId === undefined || !hasSegment(sessionId, segment)
        ? []
        : [{ info: { ...info, sessionId }, end: index + 1 }];
    });
    return { own, cursor: page.cursor };
  }

  #store(): SessionStore {
    if (this.#sessions !== undefined) return this.#sessions;
    throw new MemoryError('UNSUPPORTED', 'This space has no sessions. Pass a session store as `sessions`.');
  }
}
