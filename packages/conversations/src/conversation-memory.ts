import type { JsonObject, Page } from '@keepsake/core';
import { expect, expectKnownFields, type FieldNames, pageLimit, uuidv7 } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { type ConversationMemoryOptions, checkOptions, type Settings } from './conversation-options.ts';
import { expectKind, expectSegment } from './expect.ts';
import { ConversationHandle } from './handle/conversation-handle.ts';
import { LIST_SESSIONS, type ListSessionsOptions } from './list-sessions-options.ts';
import { eraseUser, type UserErasure } from './privacy/erase-user.ts';
import { exportUser } from './privacy/export-user.ts';
import { type ConversationKind, KINDS } from './runs/kind.ts';
import { Places } from './runs/places.ts';
import { type ConversationSession, SessionRecords, toSession } from './runs/session-records.ts';

/** Identifies the conversation that a handle is for. */
export interface ForOptions {
  /** By default the memory's. */
  readonly sessionId?: string | undefined;
  /** By default the memory's user. `null` is for operators, who may open every session. */
  readonly userId?: string | null | undefined;
  /** Stored in the runs that it saves. */
  readonly agentId?: string | undefined;
}

const FOR: FieldNames<ForOptions> = { sessionId: true, userId: true, agentId: true };

/**
 * The conversations of agents, teams and workflows, with their summaries and profiles. One object serves all kinds, sessions
 * and users; {@link ConversationMemory.for} selects one.
 */
export class ConversationMemory {
  readonly sessionId: string;
  /** The user of handles without a user id. If the memory has none either, a placeholder that is unique to the session. */
  readonly userId: string;
  readonly #userId: string | undefined;
  readonly #tenant: string | undefined;
  readonly #places: Places;
  readonly #sessions: SessionRecords;
  readonly #settings: Settings;

  /**
   * @throws MemoryError `INVALID_ARGUMENT` for invalid options, such as a summary without a model; `UNSUPPORTED` for a store
   *   that can't hold conversations. Touches no store.
   */
  constructor(options: ConversationMemoryOptions) {
    this.#settings = checkOptions(options);
    const { store, sessionId = `session-${uuidv7()}`, userId, tenant } = options;
    this.sessionId = sessionId;
    this.userId = userId ?? anonymous(sessionId);
    this.#userId = userId;
    this.#tenant = tenant;
    this.#places = new Places(store, tenant);
    this.#sessions = new SessionRecords(this.#places);
  }

  /**
   * The conversation of an agent, a team or a workflow. Writes nothing: the first run creates the session.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an unknown kind or an invalid id.
   */
  for<Item extends object = JsonObject>(kind: ConversationKind, options: ForOptions = {}): ConversationHandle<Item> {
    expectKind(kind);
    expect(isObject(options), 'The options must be an object, such as { sessionId, userId }.');
    expectKnownFields(options, FOR);
    const { sessionId = this.sessionId, userId = this.#userId, agentId } = options;
    expectSegment(sessionId, 'sessionId');
    if (userId !== undefined && userId !== null) expectSegment(userId, 'userId');
    if (agentId !== undefined) expectSegment(agentId, 'agentId');
    return new ConversationHandle<Item>({
      kind,
      sessionId,
      user: userId,
      userId: userId ?? anonymous(sessionId),
      agentId,
      tenant: this.#tenant,
      places: this.#places,
      sessions: this.#sessions,
      settings: this.#settings,
      listSessions: (listing) => this.#list(listing, userId, sessionId),
    });
  }

  /**
   * Lists the sessions of a user, by default the memory's user, or of everyone with `userId: null`. Newest first, by
   * creation. A page can have fewer than `limit` sessions even if there are more: continue while there is a cursor.
   */
  async listSessions(options: ListSessionsOptions = {}): Promise<Page<ConversationSession>> {
    return this.#list(options, this.#userId, this.sessionId);
  }

  /**
   * Removes all sessions of a user, of all kinds, with their runs and summaries, and the user's profile, until a full check
   * finds nothing. Rewrites storage that would keep deleted text. After an interruption, call it again: it removes the rest,
   * and counts only that.
   *
   * To erase a session without a user, delete the session.
   *
   * @param options - `dryRun`: counts and removes nothing. Default: false.
   * @throws MemoryError `CONFLICT` if other processes keep saving runs of the user.
   */
  async eraseUser(userId: string, options: { readonly dryRun?: boolean | undefined } = {}): Promise<UserErasure> {
    expectSegment(userId, 'userId');
    expect(isObject(options), 'The options must be an object, such as { dryRun }.');
    expectKnownFields(options, { dryRun: true });
    const { dryRun = false } = options;
    expect(typeof dryRun === 'boolean', 'dryRun must be true or false.');
    return eraseUser(this.#places, this.#sessions, userId, dryRun);
  }

  /**
   * Exports all data of a user as JSON lines, each with its line break: a header line, the `profile`, and each
   * `conversation`, oldest first, followed by its `run`s in order.
   */
  exportUser(userId: string): AsyncGenerator<string> {
    expectSegment(userId, 'userId');
    return exportUser(this.#places, this.#sessions, userId, this.#tenant);
  }

  async #list(
    options: ListSessionsOptions,
    asking: string | null | undefined,
    sessionId: string,
  ): Promise<Page<ConversationSession>> {
    expect(isObject(options), 'The options must be an object, such as { kind, limit }.');
    expectKnownFields(options, LIST_SESSIONS);
    const { userId, kind, ...paging } = options;
    if (kind !== undefined) expectKind(kind);
    pageLimit(paging);
    const of = userId === undefined ? asking : userId;
    if (of === undefined) return this.#listNobodys(sessionId, kind);
    if (of !== null) expectSegment(of, 'userId');
    const page = await (of === null ? this.#sessions.list(kind, paging) : this.#sessions.listOf(of, kind, paging));
    return { ...page, items: page.items.map((stored) => toSession(stored, this.#tenant)) };
  }

  /** Without a user, only this session: sessions without a user can't be listed together. */
  async #listNobodys(sessionId: string, kind: ConversationKind | undefined): Promise<Page<ConversationSession>> {
    const kinds = kind === undefined ? KINDS : [kind];
    const found = await Promise.all(kinds.map((one) => this.#sessions.get(one, sessionId)));
    const items = found.flatMap((stored) =>
      stored === undefined || stored.userId !== undefined ? [] : [toSession(stored, this.#tenant)],
    );
    return { items };
  }
}

function anonymous(sessionId: string): string {
  return `anonymous-${sessionId}`;
}
