import {
  type DurableSession,
  type JsonObject,
  MemoryError,
  type Page,
  type PageOptions,
  type SessionInfo,
  type SessionStore,
} from '@keepsake/core';
import { expectKnownFields, PAGE_OPTIONS, pageLimit, uuidv7 } from '@keepsake/core/adapter';
import { type Actor, ownSessionId, storedSessionId } from '../space/session-ids.ts';
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

  /** Reads the list of all sessions to find those of the actor. */
  async list(options: PageOptions = {}): Promise<Page<SessionInfo>> {
    const given = expectKnownFields(options, PAGE_OPTIONS);
    const limit = pageLimit(given);
    const items: SessionInfo[] = [];
    for (let { cursor } = given; ; ) {
      const page = await this.#page(cursor, STEP);
      const left = limit - items.length;
      // If the page has at least as many as fit, read it again up to the last that fits. A cursor may reveal the id at which it points, so it must point at a session of the actor, not of another.
      const isFull = page.own.length > left || (page.own.length === left && page.cursor !== undefined);
      const end = isFull ? (page.own[left - 1]?.end ?? 1) : undefined;
      const taken = end === undefined ? page : await this.#page(cursor, end);
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

  async #page(cursor: string | undefined, limit: number) {
    const page = await this.#store().list({ limit, ...(cursor !== undefined && { cursor }) });
    const own = page.items.flatMap((info, index) => {
      const sessionId = ownSessionId(this.#actor, info.sessionId);
      return sessionId === undefined ? [] : [{ info: { ...info, sessionId }, end: index + 1 }];
    });
    return { own, cursor: page.cursor };
  }

  #store(): SessionStore {
    if (this.#sessions !== undefined) return this.#sessions;
    throw new MemoryError('UNSUPPORTED', 'This space has no sessions. Pass a session store as `sessions`.');
  }
}
