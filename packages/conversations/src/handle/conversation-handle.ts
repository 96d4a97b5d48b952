import {
  checkId,
  cloneJson,
  encodeJson,
  isMemoryError,
  itemLimit,
  type JsonObject,
  MemoryError,
  type Page,
  recentItems,
  type Session,
  uuidv7,
  withoutToolCalls,
} from '@keepsake/core';
import type { ListSessionsOptions } from '../conversation-memory.ts';
import type { Settings } from '../conversation-options.ts';
import { expect, expectSegment } from '../expect.ts';
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
import { isJsonObject } from '../summary/json-answer.ts';
import { emptySession } from './empty-session.ts';
import type { PreparedInputs, ProcessorFailure, SaveResult, UserMemory } from './handle-results.ts';
import { block, fieldLines } from './injected.ts';

/** What a handle is made of. */
export interface HandleParts {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  /** Who asks: `undefined` for nobody, `null` for whoever works for everyone. */
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
 * One session, as one of its users sees it; made by `ConversationMemory.for`.
 *
 * A session that belongs to somebody else is refused by every call, with `INVALID_ARGUMENT` and nothing of what it holds;
 * but `listSessions` lists for whom it is told to.
 * Failures of the store reject; they are never taken for a session that is not there.
 */
export class ConversationHandle<Item extends object = JsonObject> {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  /** Where none was given, a name for nobody, unique to the session. */
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

  /** What the next turn starts from. Reads no more of a long session than of a short one, with `numLastMessages`. */
  async prepare(options: { readonly agentMetadata?: JsonObject } = {}): Promise<PreparedInputs<Item>> {
    expect(isJsonObject(options), 'The options are to be an object, such as { agentMetadata }.');
    const { agentMetadata = {} } = options;
    expect(isJsonObject(agentMetadata), 'agentMetadata is to be a JSON object.');
    const { loads } = this.#parts.settings;
    const agent = block('AgentMetadata', fieldLines(cloneJson(agentMetadata, 'agentMetadata')));
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
   * Stores a run: a completed one where any memory is on, any other in any case, to be resumed. Then, of a completed one,
   * the summary and the profile are brought up to date; what fails there is in `errors`, and is made up for at the next
   * save. What `prepare` gave is taken out of its messages.
   *
   * A known run is replaced, whole. A completed one is final: saving the same again changes nothing, so that a save with
   * a `runId` can be retried.
   *
   * @throws MemoryError `CONFLICT` for another version of a run than was given, for another state of a completed run, and
   *   for a run of another session; `TOO_LARGE` for an item over 16 MiB. Failures of the store, before or while the run is
   *   stored, reject.
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

  /** A session of this kind by its id, by default this one. */
  async findSession(sessionId: string = this.sessionId): Promise<ConversationSession | undefined> {
    const session = await this.#read(sessionId);
    return session && toSession(session, this.#parts.tenant);
  }

  /** The items of the completed runs, in the order of their `seq`: all of them, or the newest `limit`. */
  async getMessages(limit?: number): Promise<Item[]> {
    return this.#items(limit);
  }

  /** Sets fields of the session's metadata, and leaves the others. Brings the session into being where it is not there. */
  async setMetadata(metadata: JsonObject): Promise<void> {
    expect(isJsonObject(metadata), 'metadata is to be a JSON object.');
    encodeJson(metadata, 'metadata');
    const fields = cloneJson(metadata, 'metadata');
    await this.#change((body) => ({ ...body, metadata: { ...body.metadata, ...fields } }));
  }

  /** The session's metadata, or `undefined` where there is no session. */
  async getMetadata(): Promise<JsonObject | undefined> {
    return (await this.#read())?.body.metadata;
  }

  /** See `ConversationMemory.listSessions`; by default of this handle's user. */
  async listSessions(options: ListSessionsOptions = {}): Promise<Page<ConversationSession>> {
    return this.#parts.listSessions(options);
  }

  /** Removes a session of this kind with its runs, by default this one, and says whether it was there. */
  async deleteSession(sessionId: string = this.sessionId): Promise<boolean> {
    return untilLanded(async () => {
      const session = await this.#read(sessionId);
      if (session === undefined) return false;
      await emptySession(this.#parts.places, session);
      return this.#sessions.delete(session);
    });
  }

  /** A run of this kind by its id, in any session that is not somebody else's; `undefined` where there is none. */
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
      // After the run: a deletion that is under way finds a session of another version then, and removes the run as well.
      // One that is through has left no session, so that it is brought into being anew.
      await this.#touch();
    } catch (error) {
      // It was this user's before. So it was deleted, and has become somebody else's: they are not to find the run in it.
      if (typeof user === 'string' && isMemoryError(error, 'INVALID_ARGUMENT'))
        await this.#runs.delete(this.sessionId, stored);
      throw error;
    }
    return stored;
  }

  /** What completes where nothing is kept of it leaves no checkpoint, but that it has completed. */
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

  /** Who saved a run stands in it, where it does not say so itself. */
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

  /** A session as it is; refused where it is somebody else's. */
  async #read(sessionId: string = this.sessionId): Promise<StoredSession | undefined> {
    expectSegment(sessionId, 'sessionId');
    const session = await this.#sessions.get(this.kind, sessionId);
    this.#expectAllowed(session);
    return session;
  }

  #expectAllowed(session: StoredSession | undefined): void {
    const { user } = this.#parts;
    if (user === null || session?.userId === undefined || session.userId === user) return;
    throw new MemoryError('INVALID_ARGUMENT', 'This session belongs to another user. Use one of your own.');
  }

  /** Brings the session into being, or notes that there is something new in it; one of nobody becomes the user's. */
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

  /** Whose profile it is: that of the user, or of nobody else than the session. */
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
