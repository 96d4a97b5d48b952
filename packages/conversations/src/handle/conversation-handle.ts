import {
  isMemoryError,
  type JsonObject,
  type JsonObjectInput,
  MemoryError,
  type Page,
  recentItems,
  type Session,
} from '@keepsake/core';
import {
  checkId,
  cloneJson,
  encodeJson,
  expect,
  expectKnownFields,
  itemLimit,
  uuidv7,
  withoutToolCalls,
} from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import type { Settings } from '../conversation-options.ts';
import { expectSegment } from '../expect.ts';
import type { ListSessionsOptions } from '../list-sessions-options.ts';
import { type ProfileOwner, ProfileRecords } from '../profile/profile-records.ts';
import { untilLanded } from '../runs/compare-and-set.ts';
import { DerivedHistory } from '../runs/derived-history.ts';
import { DerivedSession } from '../runs/derived-session.ts';
import type { ConversationKind } from '../runs/kind.ts';
import type { Places } from '../runs/places.ts';
import { updateProfile, updateSummary } from '../runs/process-runs.ts';
import { type CheckedRun, checkRun, type Run, type RunInput } from '../runs/run.ts';
import { RunStore } from '../runs/run-store.ts';
import {
  type ConversationSession,
  historyStart,
  noteCompletedSince,
  type SessionBody,
  type SessionRecords,
  type StoredSession,
  toSession,
} from '../runs/session-records.ts';
import { NO_PROGRESS, noteLate } from '../runs/unprocessed-runs.ts';
import { emptySession } from './empty-session.ts';
import type { PreparedInputs, ProcessorFailure, SaveResult, UserMemory } from './handle-results.ts';
import { block, fieldLines } from './injected.ts';

/** The parts of a handle. */
export interface HandleParts {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  /** The caller: `undefined` without a user, `null` for an operator. */
  readonly user: string | null | undefined;
  readonly userId: string;
  readonly agentId: string | undefined;
  readonly tenant: string | undefined;
  readonly places: Places;
  readonly sessions: SessionRecords;
  readonly settings: Settings;
  readonly listSessions: (options: ListSessionsOptions) => Promise<Page<ConversationSession>>;
}

/**
 * One session as one of its users sees it. Created by `ConversationMemory.for`.
 *
 * If the session belongs to another user, every call rejects with `INVALID_ARGUMENT` and reveals nothing, except
 * `listSessions`, which lists the sessions of the given user. Failures of the store reject; they never look like a missing
 * session.
 */
export class ConversationHandle<Item extends object = JsonObject> {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  /** If none was given, a placeholder that is unique to the session. */
  readonly userId: string;
  readonly agentId: string | undefined;
  /** The user's profile; `undefined` without `userAnalysisMemory`. */
  readonly userMemory: UserMemory | undefined;
  readonly #parts: HandleParts;
  readonly #sessions: SessionRecords;
  readonly #runs: RunStore;
  readonly #profiles: ProfileRecords;

  constructor(parts: HandleParts) {
    this.kind = parts.kind;
    this.sessionId = parts.sessionId;
    this.userId = parts.userId;
    this.agentId = parts.agentId;
    this.#parts = parts;
    this.#sessions = parts.sessions;
    this.#runs = new RunStore(parts.places, parts.kind);
    this.#profiles = new ProfileRecords(parts.places);
    this.userMemory = parts.settings.profiling && {
      get: async () => this.#profiles.get(this.#ownerIn(await this.#read())),
      delete: async () => this.#profiles.delete(this.#ownerIn(await this.#read())),
    };
  }

  /** The context of the next turn. With `numLastMessages`, its cost does not depend on the length of the session. */
  async prepare(options: { readonly agentMetadata?: JsonObjectInput | undefined } = {}): Promise<PreparedInputs<Item>> {
    expect(isObject(options), 'The options must be an object, such as { agentMetadata }.');
    expectKnownFields(options, { agentMetadata: true });
    const { agentMetadata = {} } = options;
    expect(isObject(agentMetadata), 'agentMetadata must be a JSON object.');
    const { loads } = this.#parts.settings;
    const agent = block('AgentMetadata', fieldLines(cloneJson(agentMetadata, 'agentMetadata') as JsonObject));
    const session = await this.#read();
    const [messageHistory, profile] = await Promise.all([
      loads.history ? this.#recentItems(session) : [],
      loads.profile ? this.#profiles.get(this.#ownerIn(session)) : undefined,
    ]);
    const ofSession = block('SessionMetadata', fieldLines(session?.body.metadata ?? {}));
    return {
      messageHistory: messageHistory as Item[],
      contextInjection: loads.summary ? block('SessionSummary', session?.body.summary?.split('\n') ?? []) : '',
      systemPromptInjection: block('UserProfile', fieldLines(profile?.data ?? {})),
      metadataInjection: [agent, ofSession].filter(Boolean).join('\n'),
    };
  }

  /**
   * Stores a run: a completed run if any memory is on, any other run always, so that it can be resumed. After a completed
   * run, updates the summary and the profile; failures are in `errors` and are retried at the next save. Removes blocks that
   * `prepare` added from the messages.
   *
   * An existing run is replaced as a whole. A completed run is final: saving the same again changes nothing, so a save with
   * a `runId` can be retried.
   *
   * @throws MemoryError `CONFLICT` if the run has another version than given, is completed with another state, or belongs to
   *   another session; `TOO_LARGE` for an item over 16 MiB. Rejects if the store fails before or while storing the run.
   */
  async save(input: RunInput<Item>): Promise<SaveResult> {
    const checked = checkRun(input, input?.runId === undefined ? `run-${uuidv7()}` : input.runId);
    const run = { ...checked, body: this.#signed(checked.body) };
    const { runId, status } = run;
    if (status === 'completed' && !this.#parts.settings.keepsCompleted) {
      await this.#endCheckpoint(run);
      return { runId, stored: false, errors: [] };
    }
    const stored = await this.#store(run);
    const errors = status === 'completed' ? await this.#process(stored.seq) : [];
    return { runId, stored: true, seq: stored.seq, version: stored.version, errors };
  }

  /** The session, or `undefined` before its first run or metadata. */
  async getSession(): Promise<ConversationSession | undefined> {
    return this.findSession();
  }

  /** A session of this kind by its id. By default this session. */
  async findSession(sessionId: string = this.sessionId): Promise<ConversationSession | undefined> {
    const session = await this.#read(sessionId);
    return session && toSession(session, this.#parts.tenant);
  }

  /** The items of the completed runs, in the order of their `seq`: all of them, or the newest `limit`. */
  async getMessages(limit?: number): Promise<Item[]> {
    return this.#items(limit);
  }

  /** Sets fields of the session's metadata and keeps the others. Creates the session if it does not exist. */
  async setMetadata(metadata: JsonObjectInput): Promise<void> {
    expect(isObject(metadata), 'metadata must be a JSON object.');
    encodeJson(metadata, 'metadata');
    const fields = cloneJson(metadata, 'metadata') as JsonObject;
    await this.#change((body) => ({ ...body, metadata: { ...body.metadata, ...fields } }));
  }

  /** The session's metadata, or `undefined` if there is no session. */
  async getMetadata(): Promise<JsonObject | undefined> {
    return (await this.#read())?.body.metadata;
  }

  /** See `ConversationMemory.listSessions`; by default of this handle's user. */
  async listSessions(options: ListSessionsOptions = {}): Promise<Page<ConversationSession>> {
    return this.#parts.listSessions(options);
  }

  /** Removes a session of this kind with its runs, by default this session. Returns whether it existed. */
  async deleteSession(sessionId: string = this.sessionId): Promise<boolean> {
    return untilLanded(async () => {
      const session = await this.#read(sessionId);
      if (session === undefined) return false;
      await emptySession(this.#parts.places, session);
      return this.#sessions.delete(session);
    });
  }

  /** A run of this kind by its id, in any session the user may open, or `undefined`. */
  async loadRun(runId: string): Promise<Run<Item> | undefined> {
    checkId(runId, 'runId');
    const found = await this.#runs.find(runId);
    if (found === undefined || (await this.#read(found.sessionId)) === undefined) return undefined;
    return found.run as Run as Run<Item>;
  }

  /** A run that can be resumed: paused, cancelled, failed, or `running` and not saved for `staleAfterMs`. */
  async loadResumableRun(runId: string): Promise<Run<Item> | undefined> {
    const run = await this.loadRun(runId);
    if (run === undefined || run.status === 'completed') return undefined;
    if (run.status !== 'running') return run;
    return Date.now() - Date.parse(run.updatedAt) >= this.#parts.settings.staleAfterMs ? run : undefined;
  }

  /** See `asSession`. */
  asSession(): Session<Item> {
    expect(this.#parts.settings.keepsHistory, 'A session over the history needs fullSessionMemory: true.');
    return new DerivedSession<Item>({
      sessionId: this.sessionId,
      runs: this.#runs,
      sessions: this.#sessions,
      read: () => this.#read(),
      items: (limit) => this.#items(limit),
      save: (run) => this.save(run),
    });
  }

  async #store(run: CheckedRun): Promise<Run> {
    const { user } = this.#parts;
    const session = await this.#read();
    if (session === undefined || (typeof user === 'string' && session.userId === undefined)) await this.#touch();
    const stored = await this.#runs.save(this.sessionId, run, (seq) => this.#noteLate(seq));
    try {
      // After the run: a concurrent deletion then finds a session of another version, and removes the run as well.
      // A finished deletion has left no session, so it is created again.
      await this.#touch();
    } catch (error) {
      // It was this user's before. So it was deleted and now belongs to another user, who must not find the run in it.
      if (typeof user === 'string' && isMemoryError(error, 'INVALID_ARGUMENT'))
        await this.#runs.delete(this.sessionId, stored);
      throw error;
    }
    return stored;
  }

  /** If completed runs are not kept, the run's checkpoint is removed, except that it has completed. */
  async #endCheckpoint(run: CheckedRun): Promise<void> {
    await this.#read();
    if ((await this.#runs.find(run.runId)) !== undefined) await this.#store({ ...run, body: { items: [] } });
  }

  async #process(upTo: number): Promise<ProcessorFailure[]> {
    const { summariser, profiling, feedToolCallResults } = this.#parts.settings;
    const { kind, sessionId } = this;
    const work = { kind, sessionId, runs: this.#runs.runsOf(sessionId), sessions: this.#sessions, upTo };
    const failures = await Promise.all([
      failureOf('summary', async () => summariser && updateSummary(work, summariser, feedToolCallResults)),
      failureOf(
        'profile',
        async () => profiling && updateProfile(work, profiling, this.#profiles, (session) => this.#ownerIn(session)),
      ),
    ]);
    return failures.flat();
  }

  /** Adds the handle's user and agent to a run that names none. */
  #signed(body: CheckedRun['body']): CheckedRun['body'] {
    const { user } = this.#parts;
    const agentId = body.agentId ?? this.agentId;
    return {
      ...body,
      ...(typeof user === 'string' ? { userId: user } : {}),
      ...(agentId === undefined ? {} : { agentId }),
    };
  }

  async #recentItems(session: StoredSession | undefined): Promise<JsonObject[]> {
    const { numLastMessages, feedToolCallResults } = this.#parts.settings;
    if (session === undefined) return [];
    const window = numLastMessages === undefined ? {} : { maxTurns: numLastMessages };
    const items = await recentItems(this.#historyOf(session), window);
    return feedToolCallResults ? items : withoutToolCalls(items);
  }

  async #items(limit: number | undefined): Promise<Item[]> {
    itemLimit(limit);
    const session = await this.#read();
    return session === undefined ? [] : ((await this.#historyOf(session).getItems(limit)) as Item[]);
  }

  #historyOf({ sessionId, body }: StoredSession): DerivedHistory {
    return new DerivedHistory(this.#runs.runsOf(sessionId), historyStart(body));
  }

  /** Reads a session. Refuses one of another user. */
  async #read(sessionId: string = this.sessionId): Promise<StoredSession | undefined> {
    expectSegment(sessionId, 'sessionId');
    const session = await this.#sessions.get(this.kind, sessionId);
    this.#expectAllowed(session);
    return session;
  }

  #expectAllowed(session: StoredSession | undefined): void {
    const { user } = this.#parts;
    if (user === null || session?.userId === undefined || session.userId === user) return;
    throw new MemoryError('INVALID_ARGUMENT', 'This session belongs to another user. Use another session id.');
  }

  /** Creates the session, or updates its time. A session without an owner becomes the user's. */
  async #touch(): Promise<void> {
    await this.#change((body) => body);
  }

  async #noteLate(seq: number): Promise<void> {
    const { summariser, profiling } = this.#parts.settings;
    await this.#change((body) => ({
      ...noteCompletedSince(body, seq),
      ...(summariser || body.summarised ? { summarised: noteLate(body.summarised ?? NO_PROGRESS, seq) } : {}),
      ...(profiling || body.analysed ? { analysed: noteLate(body.analysed ?? NO_PROGRESS, seq) } : {}),
    }));
  }

  async #change(decide: (body: SessionBody) => SessionBody): Promise<void> {
    const { user } = this.#parts;
    const agentId = this.agentId === undefined ? {} : { agentId: this.agentId };
    await this.#sessions.change(this.kind, this.sessionId, (known) => {
      this.#expectAllowed(known);
      const body = decide({ ...agentId, metadata: {}, ...known?.body });
      return typeof user === 'string' ? { userId: user, body } : { body };
    });
  }

  /** The owner of the profile: the user, or the session if there is no user. */
  #ownerIn(session: StoredSession | undefined): ProfileOwner {
    const userId = this.#parts.user ?? session?.userId;
    if (userId !== undefined) return { scope: 'user', userId };
    return { scope: 'session', userId: this.userId, kind: this.kind, sessionId: this.sessionId };
  }
}

async function failureOf(processor: 'summary' | 'profile', work: () => Promise<unknown>): Promise<ProcessorFailure[]> {
  try {
    await work();
    return [];
  } catch (error) {
    return [{ processor, error }];
  }
}
