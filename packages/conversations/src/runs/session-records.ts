import type { MemoryRecord, Page, PageOptions } from '@keepsake/core';
import { allItems, TaskQueues } from '@keepsake/internal';
import { untilLanded } from './compare-and-set.ts';
import type { ConversationKind } from './kind.ts';
import { ofKind, paging } from './paging.ts';
import { type Places, sessionRecordId } from './places.ts';
import { readBody } from './read-body.ts';
import { isSessionBody, type SessionChange, type StoredSession } from './session.ts';
import { type ConversationUser, UserLists } from './user-lists.ts';

/** The sessions of all kinds. */
export class SessionRecords {
  readonly #places: Places;
  readonly #lists: UserLists;
  /** Changes of this process to a session wait for each other, so that they don't conflict. */
  readonly #queues = new TaskQueues<string>();

  constructor(places: Places) {
    this.#places = places;
    this.#lists = new UserLists(places);
  }

  async get(kind: ConversationKind, sessionId: string): Promise<StoredSession | undefined> {
    const record = await this.#places.sessions.get(sessionRecordId(kind, sessionId));
    return record && readSession(record);
  }

  /**
   * Changes or creates a session. Calls `decide` with the current session, maybe more than once. Errors it throws go to the
   * caller; if it returns `undefined`, nothing changes.
   */
  change(
    kind: ConversationKind,
    sessionId: string,
    decide: (session: StoredSession | undefined) => SessionChange | undefined,
  ): Promise<StoredSession | undefined> {
    const attempt = async () => {
      const session = await this.get(kind, sessionId);
      const change = decide(session);
      if (change === undefined) return session;
      const { userId = session?.userId, body } = change;
      const newOwner = session?.userId === userId ? undefined : userId;
      // First, so that no session is missing from its user's list. The list skips entries that are not theirs.
      if (newOwner !== undefined) await this.#lists.add(newOwner, kind, sessionId);
      const record = await this.#places.sessions.put(
        {
          id: sessionRecordId(kind, sessionId),
          content: JSON.stringify(body),
          metadata: { kind, sessionId, ...(userId === undefined ? {} : { userId }) },
          index: false,
        },
        { ifVersion: session?.record.version ?? 0 },
      );
      // A concurrent cleanup of the list may have taken this for a removed session.
      if (newOwner !== undefined) await this.#lists.ensure(newOwner, kind, sessionId);
      return readSession(record);
    };
    return this.#queues.run(sessionRecordId(kind, sessionId), () => untilLanded(attempt));
  }

  /** All users' sessions, newest first. */
  async list(kind: ConversationKind | undefined, options: PageOptions): Promise<Page<StoredSession>> {
    const page = await this.#places.sessions.list({ ...paging(options), ...ofKind(kind) });
    return { ...page, items: page.items.map(readSession) };
  }

  /** The sessions of a user, newest first. A page can have fewer than requested even if there are more. */
  async listOf(userId: string, kind: ConversationKind | undefined, options: PageOptions): Promise<Page<StoredSession>> {
    const page = await this.#lists.page(userId, kind, options);
    const sessions = await Promise.all(page.items.map(({ id }) => this.#places.sessions.get(id)));
    const items = sessions.flatMap((record) => (record?.metadata.userId === userId ? [readSession(record)] : []));
    return { ...page, items };
  }

  /** See `ConversationMemory.listUsers`. */
  users(options: PageOptions): Promise<Page<ConversationUser>> {
    return this.#lists.users(options);
  }

  /** All sessions of a user, oldest first, including one whose creation was interrupted before it was listed. */
  async *allOf(userId: string): AsyncGenerator<StoredSession> {
    const { sessions } = this.#places;
    const list = (page: PageOptions) => sessions.list({ ...page, order: 'oldest', filter: { userId } });
    for await (const record of allItems(list, { limit: 100 })) yield readSession(record);
  }

  /** Removes a user's list, except entries of sessions created in the meantime. */
  async clearListOf(userId: string): Promise<void> {
    await this.#lists.clear(userId);
    for await (const { kind, sessionId } of this.allOf(userId)) await this.#lists.add(userId, kind, sessionId);
  }

  /** Removes a session if its version is unchanged, else throws `CONFLICT`. */
  async delete({ record, userId }: StoredSession): Promise<boolean> {
    const deleted = await this.#places.sessions.delete(record.id, { ifVersion: record.version });
    if (userId !== undefined) await this.#unlist(userId, record.id);
    return deleted;
  }

  async #unlist(userId: string, id: string): Promise<void> {
    await this.#lists.remove(userId, id);
    const record = await this.#places.sessions.get(id);
    if (record?.metadata.userId !== userId) return;
    // It was created again in the meantime, so it stays in its user's list.
    const { kind, sessionId } = readSession(record);
    await this.#lists.add(userId, kind, sessionId);
  }
}

function readSession(record: MemoryRecord): StoredSession {
  const { kind, sessionId, userId } = record.metadata as { kind: ConversationKind; sessionId: string; userId?: string };
  return { kind, sessionId, userId, body: readBody(record.content, isSessionBody), record };
}
