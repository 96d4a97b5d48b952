import { type JsonObject, type Page, type PageOptions, pageLimit, uuidv7 } from '@keepsake/core';
import { type ConversationMemoryOptions, checkOptions, type Settings } from './conversation-options.ts';
import { expect, expectKind, expectSegment } from './expect.ts';
import { ConversationHandle } from './handle/conversation-handle.ts';
import { eraseUser, type UserErasure } from './privacy/erase-user.ts';
import { exportUser } from './privacy/export-user.ts';
import { type ConversationKind, KINDS } from './runs/kind.ts';
import { Places } from './runs/places.ts';
import { type ConversationSession, SessionRecords, toSession } from './runs/session-records.ts';
import { isJsonObject } from './summary/json-answer.ts';

/** Whose conversation it is that a handle is for. */
export interface ForOptions {
  /** By default the memory's. */
  readonly sessionId?: string | undefined;
  /** By default the memory's. `null` is for whoever works for everyone, such as an operator: no session is refused. */
  readonly userId?: string | null | undefined;
  /** Stands in the runs that it saves. */
  readonly agentId?: string | undefined;
}

/** Which sessions to list. */
export interface ListSessionsOptions extends PageOptions {
  /** By default the user who asks; `null` for everyone's. */
  readonly userId?: string | null | undefined;
  readonly kind?: ConversationKind | undefined;
}

/**
 * The conversations of agents, teams and workflows, with what is made of them: summaries and profiles. One object serves
 * all kinds, sessions and users at once; which of them, {@link ConversationMemory.for} says.
 */
export class ConversationMemory {
  readonly sessionId: string;
  /** The user of handles that name none; where the memory has none, a name for nobody, unique to its session. */
  readonly userId: string;
  readonly #userId: string | undefined;
  readonly #tenant: string | undefined;
  readonly #places: Places;
  readonly #sessions: SessionRecords;
  readonly #settings: Settings;

  /**
   * @throws MemoryError `INVALID_ARGUMENT` for options that can't work, such as a summary without a model; `UNSUPPORTED`
   *   for a store that can't hold conversations. Touches no store.
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
   * The conversation of an agent, a team or a workflow. Writes nothing: a session comes into being with its first run.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for another kind, or an id that can't be used.
   */
  for<Item extends object = JsonObject>(kind: ConversationKind, options: ForOptions = {}): ConversationHandle<Item> {
    expectKind(kind);
    expect(isJsonObject(options), 'The options are to be an object, such as { sessionId, userId }.');
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
   * The sessions of a user, by default of the memory's, or with `userId: null` of everyone; the newest first, in the order
   * in which they came into being. A page may have fewer than `limit` where there are more: go on while there is a cursor.
   */
  async listSessions(options: ListSessionsOptions = {}): Promise<Page<ConversationSession>> {
    return this.#list(options, this.#userId, this.sessionId);
  }

  /**
   * Removes all sessions of a user, of all kinds, with their runs and summaries, and the user's profile, until a look at
   * everything finds nothing more. Storage is rewritten where something of it would be left. What was cut off can be run
   * again: what is left goes then, and the counts are of that call alone.
   *
   * Who named no user is nobody that could be erased: delete the session.
   *
   * @param options - `dryRun`: counts, and removes nothing. Default false.
   * @throws MemoryError `CONFLICT` where others keep saving runs of the user; nothing is claimed then.
   */
  async eraseUser(userId: string, options: { readonly dryRun?: boolean | undefined } = {}): Promise<UserErasure> {
    expectSegment(userId, 'userId');
    expect(isJsonObject(options), 'The options are to be an object, such as { dryRun }.');
    const { dryRun = false } = options;
    expect(typeof dryRun === 'boolean', 'dryRun is to be true or false.');
    return eraseUser(this.#places, this.#sessions, userId, dryRun);
  }

  /**
   * All that there is of a user, as lines of JSON, each with its line break: a line that says what this is, the `profile`,
   * and each `conversation`, the oldest first, followed by its `run`s in their order.
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
    expect(isJsonObject(options), 'The options are to be an object, such as { kind, limit }.');
    const { userId, kind, ...paging } = options;
    if (kind !== undefined) expectKind(kind);
    pageLimit(paging);
    const of = userId === undefined ? asking : userId;
    if (of === undefined) return this.#listNobodys(sessionId, kind);
    if (of !== null) expectSegment(of, 'userId');
    const page = await (of === null ? this.#sessions.list(kind, paging) : this.#sessions.listOf(of, kind, paging));
    return { ...page, items: page.items.map((stored) => toSession(stored, this.#tenant)) };
  }

  /** Who names no user has this session and no other: those of everybody who names none are nobody's to list. */
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
