import type { JsonObject, JsonObjectInput, Page } from '@keepsake/core';
import { expect, expectKnownFields, guarded } from '@keepsake/core/adapter';
import { copyObject } from '../expect.ts';
import type { ListRunsOptions, ListSessionsOptions } from '../list-options.ts';
import type { CatchUpResult, Processing } from '../processing/processing.ts';
import { ProfileRecords } from '../profile/profile-records.ts';
import { untilLanded } from '../runs/compare-and-set.ts';
import type { ConversationKind } from '../runs/kind.ts';
import type { Places } from '../runs/places.ts';
import type { ListedRun, Run, RunInput, RunStatus } from '../runs/run.ts';
import { RunStore } from '../runs/run-store.ts';
import { type ConversationSession, toSession } from '../runs/session.ts';
import type { SessionRecords } from '../runs/session-records.ts';
import type { Settings } from '../settings.ts';
import { ConversationContext, type PrepareOptions } from './conversation-context.ts';
import { DerivedSession } from './derived-session.ts';
import { emptySession } from './empty-session.ts';
import type { PreparedInputs, SaveResult, SessionWithContext, UserMemory } from './handle-results.ts';
import { OpenRun } from './open-run.ts';
import type { OpenRuns } from './open-runs.ts';
import { RunReader } from './run-reader.ts';
import { RunSaver } from './run-saver.ts';
import { SessionAccess, type SessionKey } from './session-access.ts';

/** The parts of a handle. */
export interface HandleParts extends SessionKey {
  readonly tenant: string | undefined;
  readonly places: Places;
  readonly sessions: SessionRecords;
  readonly settings: Settings;
  readonly processing: Processing;
  readonly openRuns: OpenRuns;
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
  readonly #access: SessionAccess;
  readonly #runs: RunStore;
  readonly #context: ConversationContext;
  readonly #saver: RunSaver;
  readonly #reader: RunReader;

  constructor(parts: HandleParts) {
    const { settings, places } = parts;
    this.kind = parts.kind;
    this.sessionId = parts.sessionId;
    this.userId = parts.userId;
    this.agentId = parts.agentId;
    this.#parts = parts;
    const access = new SessionAccess(parts, parts.sessions);
    const profiles = new ProfileRecords(places);
    this.#access = access;
    this.#runs = new RunStore(places, parts.kind);
    this.#context = new ConversationContext(access, this.#runs, profiles, settings);
    this.#saver = new RunSaver(access, this.#runs, settings, parts.processing);
    this.#reader = new RunReader(access, this.#runs, parts.tenant, settings.staleAfterMs);
    this.userMemory = settings.profiling && {
      get: async () => profiles.get(access.ownerIn(await access.read())),
      delete: async () => profiles.delete(access.ownerIn(await access.read())),
    };
  }

  /** The context of the next turn. With `lastTurns`, its cost does not depend on the length of the session. */
  async prepare(options: PrepareOptions = {}): Promise<PreparedInputs<Item>> {
    const prepared = await this.#context.prepare(options);
    const { messageHistory, contextInjection, systemPromptInjection } = prepared;
    const injected = [contextInjection && 'the summary', systemPromptInjection && 'the profile'].filter(Boolean);
    const count = messageHistory.length;
    this.#log(1, `prepared ${[`${count} ${count === 1 ? 'item' : 'items'}`, ...injected].join(', ')}`);
    return prepared as PreparedInputs<object> as PreparedInputs<Item>;
  }

  /**
   * Stores a run: a completed run if any memory is on, any other run always, so that it can be resumed. After a completed
   * run, updates the summary and the profile; failures are in `errors`, and what is left to do is in `pending`. Simultaneous
   * saves share these updates. Removes blocks that `prepare` added from the messages.
   *
   * An existing run is replaced as a whole. A completed run is final: saving the same again changes nothing, so a save with
   * a `runId` can be retried.
   *
   * @throws MemoryError `CONFLICT` if the run has another version than given, is completed with another state, or belongs to
   *   another session; `TOO_LARGE` for an item over 16 MiB. Rejects if the store fails before or while storing the run.
   */
  async save(input: RunInput<Item>): Promise<SaveResult> {
    const { result, status } = await this.#saver.save(input as RunInput<object> as RunInput);
    const { runId, stored, pending } = result;
    const rest = pending.length === 0 ? '' : `, with the ${pending.join(' and the ')} still to do`;
    this.#log(1, `${stored ? 'saved' : 'did not keep'} the run ${runId} (${status})${rest}`);
    return result;
  }

  /**
   * Begins a run, or takes over a run from `loadResumableRun`: saves it as `running`, and sends heartbeats until the returned
   * run is saved with another status. So if this process dies, another one can resume the run after `staleAfterMs`.
   *
   * @param options - `onClose`: called by `ConversationMemory.close` while the run is open, and awaited for at most 30 seconds.
   *   Save the run there, or wait for its end.
   * @throws MemoryError `CONFLICT` if another process has taken over the run; `CLOSED` if the memory is closed.
   */
  async begin(
    run: Omit<RunInput<Item>, 'status'> & { readonly status?: RunStatus | undefined },
    options: { readonly onClose?: (() => Promise<unknown>) | undefined } = {},
  ): Promise<OpenRun<Item>> {
    const { onClose } = expectKnownFields(options, { onClose: true });
    const runInput = guarded('run', () => ({ ...run }));
    const { openRuns, settings } = this.#parts;
    openRuns.expectOpen();
    const { runId, version = 0 } = await this.save({ ...runInput, status: 'running' });
    const open = new OpenRun<Item>({
      runId,
      version,
      replaces: runInput.replaces,
      staleAfterMs: settings.staleAfterMs,
      save: (input) => this.save(input),
      heartbeat: (sign) => this.heartbeat(sign),
      ended: () => openRuns.delete(entry),
    });
    const entry = { abandon: () => open.abandon(), finish: async () => onClose?.() };
    openRuns.add(entry);
    return open;
  }

  /**
   * Updates the summary and the profile until they include all completed runs, or an update fails. For the end of a
   * conversation, after a save that reports something as pending.
   */
  async catchUp(): Promise<CatchUpResult> {
    return this.#saver.catchUp();
  }

  /** The session, or `undefined` before its first run or metadata. */
  async getSession(): Promise<ConversationSession | undefined> {
    return this.findSession();
  }

  /** A session of this kind by its id. By default this session. */
  async findSession(sessionId: string = this.sessionId): Promise<ConversationSession | undefined> {
    const session = await this.#access.read(sessionId);
    return session && toSession(session, this.#parts.tenant);
  }

  /** The items of the completed runs, in the order of their `seq`: all of them, or the newest `limit`. */
  async getMessages(limit?: number): Promise<Item[]> {
    return (await this.#context.items(limit)) as Item[];
  }

  /**
   * Sets fields of the session's metadata, removes those that are `undefined`, and keeps the others. Creates the session if
   * it does not exist.
   */
  async setMetadata(metadata: JsonObjectInput): Promise<void> {
    const fields = copyObject(metadata, 'metadata');
    const names = guarded('metadata', () => Object.keys(metadata));
    const removed = new Set(names.filter((name) => !Object.hasOwn(fields, name)));
    await this.#access.change((body) => {
      const kept = Object.entries(body.metadata).filter(([name]) => !removed.has(name));
      return { ...body, metadata: { ...Object.fromEntries(kept), ...fields } };
    });
  }

  /** The session's metadata, or `undefined` if there is no session. */
  async getMetadata(): Promise<JsonObject | undefined> {
    return (await this.#access.read())?.body.metadata;
  }

  /** See `ConversationMemory.listSessions`; by default of this handle's user. */
  async listSessions(options: ListSessionsOptions = {}): Promise<Page<ConversationSession>> {
    return this.#parts.listSessions(options);
  }

  /** Removes a session of this kind with its runs, by default this session. Returns whether it existed. */
  async deleteSession(sessionId: string = this.sessionId): Promise<boolean> {
    return untilLanded(async () => {
      const session = await this.#access.read(sessionId);
      if (session === undefined) return false;
      await emptySession(this.#parts.places, session);
      return this.#parts.sessions.delete(session);
    });
  }

  /**
   * The runs of a session of this kind, by default this session: of any status or of one, newest first, without their items.
   * `ConversationMemory.listRuns` lists unfinished runs of all sessions.
   */
  async listRuns(options: ListRunsOptions = {}): Promise<Page<ListedRun>> {
    return this.#reader.list(options);
  }

  /** A run of this kind by its id, in any session the user may open, or `undefined`. */
  async loadRun(runId: string): Promise<Run<Item> | undefined> {
    return (await this.#reader.load(runId)) as Run<object> | undefined as Run<Item> | undefined;
  }

  /** The newest run in the history of this session with such an item, or `undefined`. */
  async findRun(matches: (item: Item) => boolean): Promise<Run<Item> | undefined> {
    const run = await this.#reader.findInHistory((item) => matches(item as Item));
    return run as Run<object> | undefined as Run<Item> | undefined;
  }

  /** A run that can be resumed: paused, cancelled, failed, or `running` without a sign of life for `staleAfterMs`. */
  async loadResumableRun(runId: string): Promise<Run<Item> | undefined> {
    const run = (await this.#reader.loadResumable(runId)) as Run<object> | undefined as Run<Item> | undefined;
    this.#log(3, run === undefined ? `the run ${runId} can't be resumed` : `loaded the run ${runId} (${run.status})`);
    return run;
  }

  /**
   * Keeps a `running` run from counting as crashed, without saving it. Call it more often than `staleAfterMs` during long
   * steps. Does not change the run's version.
   *
   * @returns Whether the run is still `running`, with the given version. If not, another process may have resumed it: stop.
   */
  async heartbeat(run: { readonly runId: string; readonly version?: number | undefined }): Promise<boolean> {
    const isRunning = await this.#reader.heartbeat(run);
    this.#log(3, `sent a heartbeat${isRunning ? '' : ' of a run that is no longer running here'}`);
    return isRunning;
  }

  /** See `asSession`. */
  asSession(): SessionWithContext<Item> {
    expect(this.#parts.settings.keepsHistory, 'A session over the history needs fullSessionMemory: true.');
    return new DerivedSession<Item>({
      sessionId: this.sessionId,
      runs: this.#runs,
      access: this.#access,
      context: this.#context,
      save: (run) => this.save(run),
    });
  }
  #log(level: 1 | 2 | 3, message: string): void {
    this.#parts.settings.log(level, `${this.kind} session ${JSON.stringify(this.sessionId)}: ${message}.`);
  }
}
