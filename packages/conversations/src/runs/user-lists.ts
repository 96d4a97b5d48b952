import type { MemoryRecord, Page, PageOptions } from '@keepsake/core';
import { fromSegment } from '@keepsake/internal';
import type { ConversationKind } from './kind.ts';
import { ofKind, paging } from './paging.ts';
import { type Places, sessionRecordId } from './places.ts';

/** A user with sessions. */
export interface ConversationUser {
  readonly userId: string;
  /** How many sessions are listed as theirs. Some may be gone. */
  readonly sessions: number;
}

/** Which sessions belong to which user, in order of creation. May name a session that is gone or has another owner. */
export class UserLists {
  readonly #places: Places;

  constructor(places: Places) {
    this.#places = places;
  }

  /** The users with sessions, in a stable order. */
  async users(options: PageOptions): Promise<Page<ConversationUser>> {
    const { items, ...rest } = await this.#places.users.namespaces(paging(options));
    const users = items.map(({ namespace, recordCount }) => ({
      userId: fromSegment(namespace.at(-1) as string),
      sessions: recordCount,
    }));
    return { ...rest, items: users };
  }

  /** The ids of the records of a user's sessions, newest first. */
  page(userId: string, kind: ConversationKind | undefined, options: PageOptions): Promise<Page<MemoryRecord>> {
    return this.#places.sessionsOf(userId).list({ ...paging(options), ...ofKind(kind) });
  }

  async add(userId: string, kind: ConversationKind, sessionId: string): Promise<void> {
    const id = sessionRecordId(kind, sessionId);
    await this.#places.sessionsOf(userId).put({ id, content: id, metadata: { kind }, index: false });
  }

  /** Adds a session that is missing. */
  async ensure(userId: string, kind: ConversationKind, sessionId: string): Promise<void> {
    const noted = await this.#places.sessionsOf(userId).get(sessionRecordId(kind, sessionId));
    if (noted === undefined) await this.add(userId, kind, sessionId);
  }

  /** @param id - That of the record of a session. */
  async remove(userId: string, id: string): Promise<void> {
    await this.#places.sessionsOf(userId).delete(id);
  }

  async clear(userId: string): Promise<void> {
    await this.#places.sessionsOf(userId).clear();
  }
}
