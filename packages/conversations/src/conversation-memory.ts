import type { JsonObject, Page, PageOptions } from '@keepsake/core';
import { expect, expectKnownFields, type FieldNames, PAGE_OPTIONS, uuidv7 } from '@keepsake/core/adapter';
import { CONVERSATION_MEMORY, type ConversationMemoryOptions } from './conversation-options.ts';
import { expectKind, expectSegment } from './expect.ts';
import { ConversationHandle } from './handle/conversation-handle.ts';
import { OpenRuns } from './handle/open-runs.ts';
import type { ListSessionsOptions, ListUnfinishedRunsOptions } from './list-options.ts';
import { Lists, userOf } from './lists.ts';
import { eraseUser, USER_ERASURE, type UserErasure, type UserErasureOptions } from './privacy/erase-user.ts';
import { exportUser } from './privacy/export-user.ts';
import { Processing } from './processing/processing.ts';
import { ProfileRecords } from './profile/profile-records.ts';
import type { ConversationKind } from './runs/kind.ts';
import { Places } from './runs/places.ts';
import type { ListedRun } from './runs/run.ts';
import type { ConversationSession } from './runs/session.ts';
import { SessionRecords } from './runs/session-records.ts';
import type { ConversationUser } from './runs/user-lists.ts';
import { checkOptions, type Settings } from './settings.ts';

/** Identifies the conversation that a handle is for. */
export interface ForOptions {
  /** By default the memory's. */
  readonly sessionId?: string | undefined;
  /** @default The memory's user. */
  readonly userId?: string | undefined;
  /**
   * For operators: opens the session whoever it belongs to. Not with `userId`.
   *
   * @default false
   */
  readonly allUsers?: boolean | undefined;
  /** Stored in the runs that it saves. */
  readonly agentId?: string | undefined;
}

const FOR: FieldNames<ForOptions> = { sessionId: true, userId: true, allUsers: true, agentId: true };

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
  readonly #processing: Processing;
  readonly #lists: Lists;
  readonly #openRuns = new OpenRuns();

  /**
   * @throws MemoryError `INVALID_ARGUMENT` for invalid options, such as a summary without a model; `UNSUPPORTED` for a store
   *   that can't hold conversations. Touches no store.
   */
  constructor(options: ConversationMemoryOptions) {
    const checkedOptions = expectKnownFields(options, CONVERSATION_MEMORY);
    this.#settings = checkOptions(checkedOptions);
    const { store, sessionId = `session-${uuidv7()}`, userId, tenant } = checkedOptions;
    this.sessionId = sessionId;
    this.userId = userId ?? anonymous(sessionId);
    this.#userId = userId;
    this.#tenant = tenant;
    this.#places = new Places(store, tenant);
    this.#sessions = new SessionRecords(this.#places);
    this.#lists = new Lists(this.#places, this.#sessions, tenant);
    this.#processing = new Processing(this.#settings, new ProfileRecords(this.#places));
  }

  /**
   * The conversation of an agent, a team or a workflow. Writes nothing: the first run creates the session.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an unknown kind or an invalid id.
   */
  for<Item extends object = JsonObject>(kind: ConversationKind, options: ForOptions = {}): ConversationHandle<Item> {
    expectKind(kind);
    const checkedOptions = expectKnownFields(options, FOR);
    const { sessionId = this.sessionId, agentId } = checkedOptions;
    expectSegment(sessionId, 'sessionId');
    const userId = userOf(checkedOptions, this.#userId);
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
      processing: this.#processing,
      openRuns: this.#openRuns,
      listSessions: (listing) => this.#lists.sessions(listing, userId, sessionId),
    });
  }

  /**
   * Lists the sessions of a user, by default the memory's user, or of everyone with `allUsers: true`. Newest first, by
   * creation. A page can have fewer than `limit` sessions even if there are more: continue while there is a cursor.
   */
  async listSessions(options: ListSessionsOptions = {}): Promise<Page<ConversationSession>> {
    return this.#lists.sessions(options, this.#userId, this.sessionId);
  }

  /** Lists the users with sessions, for operators, in a stable order. Reads no session. */
  async listUsers(options: PageOptions = {}): Promise<Page<ConversationUser>> {
    return this.#sessions.users(expectKnownFields(options, PAGE_OPTIONS));
  }

  /**
   * Lists the runs that have not completed, such as those that wait for approval, in all sessions of a user, by default the
   * memory's user, or of everyone with `allUsers: true`. Newest first, by creation, without their items. Load one with
   * `loadResumableRun`.
   *
   * Reads past the unfinished runs of other users. `ConversationHandle.listRuns` lists the runs of a session, completed ones,
   * too.
   */
  async listRuns(options: ListUnfinishedRunsOptions = {}): Promise<Page<ListedRun>> {
    return this.#lists.unfinishedRuns(options, this.#userId, this.sessionId);
  }

  /**
   * Removes all sessions of a user, of all kinds, with their runs and summaries, and the user's profile, until a full check
   * finds nothing. After an interruption, call it again: it removes the rest, and counts only that.
   *
   * To erase a session without a user, delete the session.
   *
   * @throws MemoryError `CONFLICT` if other processes keep saving runs of the user.
   */
  async eraseUser(userId: string, options: UserErasureOptions = {}): Promise<UserErasure> {
    expectSegment(userId, 'userId');
    const { dryRun = false, compact = true } = expectKnownFields(options, USER_ERASURE);
    for (const [name, flag] of Object.entries({ dryRun, compact })) {
      expect(typeof flag === 'boolean', `${name} must be true or false.`);
    }
    return eraseUser(this.#places, this.#sessions, userId, { dryRun, compact });
  }

  /**
   * Exports all data of a user as JSON lines, each with its line break: a header line, the `profile`, and each
   * `conversation`, oldest first, followed by its `run`s in order.
   */
  exportUser(userId: string): AsyncGenerator<string> {
    expectSegment(userId, 'userId');
    return exportUser(this.#places, this.#sessions, userId, this.#tenant);
  }

  /**
   * Lets open runs end, such as streams that nobody reads, for at most 30 seconds. A run that takes longer stays as it was
   * last saved, and can be resumed after `staleAfterMs`. From then on, `begin` rejects with `CLOSED`. Does not close the store.
   */
  async close(): Promise<void> {
    await this.#openRuns.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function anonymous(sessionId: string): string {
  return `anonymous-${sessionId}`;
}
