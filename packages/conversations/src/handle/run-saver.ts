import { isMemoryError, type JsonObject } from '@keepsake/core';
import type { CatchUpResult, Processing, SessionWork } from '../processing/processing.ts';
import { NO_PROGRESS, noteLate } from '../processing/progress.ts';
import { type CheckedRun, checkRun, type Run, type RunInput, type RunStatus } from '../runs/run.ts';
import type { RunStore } from '../runs/run-store.ts';
import { noteCompletedSince, withoutUndone } from '../runs/session.ts';
import type { Settings } from '../settings.ts';
import type { SaveResult } from './handle-results.ts';
import type { SessionAccess } from './session-access.ts';

/** Saves the runs of a session, and processes them. */
export class RunSaver {
  readonly #access: SessionAccess;
  readonly #runs: RunStore;
  readonly #settings: Settings;
  readonly #processing: Processing;

  constructor(access: SessionAccess, runs: RunStore, settings: Settings, processing: Processing) {
    this.#access = access;
    this.#runs = runs;
    this.#settings = settings;
    this.#processing = processing;
  }

  /** See `ConversationHandle.save`. */
  async save(input: RunInput<JsonObject>): Promise<{ readonly result: SaveResult; readonly status: RunStatus }> {
    const run = checkRun(input);
    return { result: await this.#save({ ...run, body: this.#signed(run.body) }), status: run.status };
  }

  async #save(run: CheckedRun): Promise<SaveResult> {
    const { runId } = run;
    if (run.status === 'completed' && !this.#settings.keepsCompleted) {
      await this.#endCheckpoint(run);
      return { runId, stored: false, errors: [], pending: [] };
    }
    const { stored, ...processed } = await this.#processing.store(this.#work, run, () => this.#store(run));
    return { runId, stored: true, seq: stored.seq, version: stored.version, ...processed };
  }

  /** See `ConversationHandle.catchUp`. */
  async catchUp(): Promise<CatchUpResult> {
    await this.#access.read();
    return this.#processing.finish(this.#work);
  }

  get #work(): SessionWork {
    const { kind, sessionId, user } = this.#access.key;
    return {
      kind,
      sessionId,
      userId: user ?? undefined,
      runs: this.#runs.runsOf(sessionId),
      sessions: this.#access.sessions,
      ownerOf: (session) => this.#access.ownerIn(session),
    };
  }

  async #store(run: CheckedRun): Promise<Run> {
    const { user, sessionId } = this.#access.key;
    const session = await this.#access.read();
    const isNew = session === undefined || (typeof user === 'string' && session.userId === undefined);
    if (isNew) await this.#access.touch();
    const stored = await this.#runs.save(sessionId, run, (seq) => this.#noteLate(seq));
    if (stored.status === 'completed' && stored.replaces !== undefined)
      await this.#dropReplaced(stored, stored.replaces);
    try {
      // After the run: a concurrent deletion then finds a session of another version, and removes the run as well.
      // A finished deletion has left no session, so it is created again.
      await this.#access.touch();
    } catch (error) {
      // It was this user's before. So it was deleted and now belongs to another user, who must not find the run in it.
      if (typeof user === 'string' && isMemoryError(error, 'INVALID_ARGUMENT'))
        await this.#runs.delete(sessionId, stored);
      throw error;
    }
    return stored;
  }

  /** If completed runs are not kept, the run's checkpoint is removed, except that it has completed. */
  async #endCheckpoint(run: CheckedRun): Promise<void> {
    await this.#access.read();
    if ((await this.#runs.find(run.runId)) !== undefined) await this.#store({ ...run, body: { items: [] } });
  }

  /** Adds the handle's user and agent to a run that names none. */
  #signed(body: CheckedRun['body']): CheckedRun['body'] {
    const { user } = this.#access.key;
    const agentId = body.agentId ?? this.#access.key.agentId;
    return {
      ...body,
      ...(typeof user === 'string' ? { userId: user } : {}),
      ...(agentId === undefined ? {} : { agentId }),
    };
  }

  /** The history leaves them out already. This removes their text, also from the summary. */
  async #dropReplaced({ seq }: Run, from: number): Promise<void> {
    const { sessionId, kind } = this.#access.key;
    const records = this.#runs.runsOf(sessionId);
    const replaced: Run[] = [];
    for (let one = from; one < seq; one++) {
      const run = await records.get(one);
      if (run !== undefined) replaced.push(run);
    }
    if (replaced.length === 0) return;
    await this.#access.sessions.change(
      kind,
      sessionId,
      (storedSession) =>
        storedSession && { body: replaced.reduce((body, run) => withoutUndone(body, run.seq), storedSession.body) },
    );
    for (const run of replaced) await this.#runs.delete(sessionId, run);
  }

  async #noteLate(seq: number): Promise<void> {
    const { summariser, profiling } = this.#settings;
    await this.#access.change((body) => ({
      ...noteCompletedSince(body, seq),
      ...(summariser || body.summarised ? { summarised: noteLate(body.summarised ?? NO_PROGRESS, seq) } : {}),
      ...(profiling || body.analysed ? { analysed: noteLate(body.analysed ?? NO_PROGRESS, seq) } : {}),
    }));
  }
}
