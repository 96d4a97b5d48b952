import { isMemoryError } from '@keepsake/core';
import { callFailure, MAX_TRIES } from '@keepsake/core/adapter';
import type { ConversationKind } from '../runs/kind.ts';
import type { Run } from '../runs/run.ts';
import type { RunRecords } from '../runs/run-records.ts';
import type { SessionBody, StoredSession } from '../runs/session.ts';
import type { SessionRecords } from '../runs/session-records.ts';
import { type NextRuns, nextRuns, nextSetAside } from './next-runs.ts';
import {
  afterFailure,
  afterSkip,
  afterStep,
  isSetAside,
  NO_PROGRESS,
  type Progress,
  SET_ASIDE_AFTER,
  type Step,
  triesOf,
} from './progress.ts';

/** What is made from completed runs. */
export type ProcessorName = 'summary' | 'profile';

/** Why a summary or a profile was not updated, or a profile without some of the answer's fields. */
export interface ProcessorFailure {
  readonly processor: ProcessorName;
  readonly error: unknown;
  /** The run that caused it, if it was given up: it failed several times, while the model answered others. */
  readonly skipped?: { readonly runId: string; readonly seq: number };
}

/** The result of catching up. */
export interface Outcome {
  readonly failures: readonly ProcessorFailure[];
  /** Whether runs are left. */
  readonly isPending: boolean;
}

/** The runs of a session. */
export interface Work {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  readonly runs: RunRecords;
  readonly sessions: SessionRecords;
}

/** How to update a summary or a profile. */
export interface Updates<State, Answer> {
  readonly processor: ProcessorName;
  /** The name of its progress in a session. */
  readonly progress: 'summarised' | 'analysed';
  /** The number of tokens of runs per step. */
  maxTokens(session: StoredSession): number;
  tokensOf(run: Run): number;
  /** Reads what the answer continues. */
  read(session: StoredSession): Promise<State>;
  /** Asks the model. `undefined` if the runs say nothing. */
  ask(runs: readonly Run[], state: State): Promise<Answer | undefined>;
  /** Stores an answer outside the session, before the progress. `CONFLICT` if it is outdated. */
  store(answer: Answer, state: State): Promise<void>;
  /** Why a part of an answer is left out, if one is. */
  refusalIn?(answer: Answer): unknown;
  /** Whether an answer that was made from a session is outdated. */
  isOutdated(now: SessionBody, then: SessionBody): boolean;
  /** The session with an answer. */
  apply(body: SessionBody, answer: Answer): SessionBody;
}

/**
 * Brings a summary or a profile up to date with the completed runs of a session, in steps within the limits of the model.
 *
 * The ladder of failure: the runs of a step are tried together. If one of them may be the cause of a failure, they are tried
 * alone. A run that has failed twice is set aside: it is tried alone after the others, so that it holds up none. It is given
 * up when it fails too often while the model answers others. A failure that may be an outage ends the work until the next
 * save, so no run is lost while the model is down.
 */
export class CatchUp<State, Answer> {
  readonly #work: Work;
  readonly #updates: Updates<State, Answer>;
  readonly #failures: ProcessorFailure[] = [];
  /** The last failure of a run that was not given up. */
  #error: unknown;
  /** The runs that were set aside and tried. */
  readonly #tried = new Set<number>();
  #hasAnswered = false;

  constructor(work: Work, updates: Updates<State, Answer>) {
    this.#work = work;
    this.#updates = updates;
  }

  /** @param maxSteps - The rest waits for the next time. */
  async run(upTo: number, maxSteps: number): Promise<Outcome> {
    for (let steps = 0; ; steps++) {
      const session = await this.#work.sessions.get(this.#work.kind, this.#work.sessionId);
      const next = session && (await this.#next(session, upTo));
      if (session === undefined || next === undefined) return this.#outcome(this.#error !== undefined);
      if (steps === maxSteps) return this.#outcome(true);
      const state = await this.#updates.read(session);
      let answer: Answer | undefined;
      try {
        answer = await this.#updates.ask(next.runs, state);
      } catch (error) {
        if (await this.#canContinue(next, error)) continue;
        return this.#outcome(true, error);
      }
      this.#hasAnswered ||= answer !== undefined;
      if (!(await this.#commit(session, next, state, answer))) continue;
      const error = answer && this.#updates.refusalIn?.(answer);
      if (error !== undefined) this.#failures.push({ processor: this.#updates.processor, error });
    }
  }

  async #next(session: StoredSession, upTo: number): Promise<NextRuns | undefined> {
    const { runs } = this.#work;
    const progress = this.#progressOf(session.body);
    const tokensOf = (run: Run) => this.#updates.tokensOf(run);
    const next = await nextRuns(runs, progress, { upTo, maxTokens: this.#updates.maxTokens(session), tokensOf });
    return next ?? nextSetAside(runs, progress, this.#tried);
  }

  /** Records a failure. Returns whether other runs can be tried. */
  async #canContinue(next: NextRuns, error: unknown): Promise<boolean> {
    const { runs } = next;
    const [first] = runs;
    const kind = isMemoryError(error, 'TIMEOUT') ? 'unclear' : callFailure(error);
    if (first === undefined || kind === 'passing') return false;
    // An answer of another form is an answer.
    const isAnswer =
      kind === 'refusal' || isMemoryError(error, 'INVALID_ARGUMENT') || isMemoryError(error, 'TOO_LARGE');
    const isProven = this.#hasAnswered || isAnswer;
    const tries = await this.#noteFailure(first.seq, next, isProven);
    if (runs.length > 1) return this.#hasAnswered;
    this.#tried.add(first.seq);
    if (isProven && tries >= MAX_TRIES[kind]) await this.#skip(first, error);
    else this.#error = error;
    return isProven && tries >= SET_ASIDE_AFTER;
  }

  /** Returns whether the progress was stored. If not, another process was faster. */
  async #commit(session: StoredSession, next: NextRuns, state: State, answer: Answer | undefined): Promise<boolean> {
    try {
      if (answer !== undefined) await this.#updates.store(answer, state);
    } catch (error) {
      if (isMemoryError(error, 'CONFLICT')) return false;
      throw error;
    }
    const then = this.#progressOf(session.body);
    return this.#change((body, now) => {
      if (now.throughSeq !== then.throughSeq || this.#updates.isOutdated(body, session.body)) return undefined;
      const changed = answer === undefined ? body : this.#updates.apply(body, answer);
      return { ...changed, [this.#updates.progress]: afterStep(now, next) };
    });
  }

  /** Returns how often the run has failed. Once it is set aside, only failures count that are no outage. */
  async #noteFailure(seq: number, step: Step, isProven: boolean): Promise<number> {
    let tries = 0;
    await this.#change((body, now) => {
      tries = triesOf(now, seq);
      if (isSetAside(now, seq) && !isProven) return undefined;
      tries++;
      return { ...body, [this.#updates.progress]: afterFailure(now, step) };
    });
    return tries;
  }

  /** Gives up a run. */
  async #skip({ runId, seq }: Run, error: unknown): Promise<void> {
    const isNew = await this.#change((body, now) =>
      now.skipped?.includes(seq) ? undefined : { ...body, [this.#updates.progress]: afterSkip(now, seq) },
    );
    if (isNew) this.#failures.push({ processor: this.#updates.processor, error, skipped: { runId, seq } });
  }

  /** Changes the session. Returns whether it was changed. */
  async #change(decide: (body: SessionBody, now: Progress) => SessionBody | undefined): Promise<boolean> {
    const { sessions, kind, sessionId } = this.#work;
    let isChanged = false;
    await sessions.change(kind, sessionId, (storedSession) => {
      const body = storedSession && decide(storedSession.body, this.#progressOf(storedSession.body));
      isChanged = body !== undefined;
      return body && { body };
    });
    return isChanged;
  }

  #progressOf(body: SessionBody): Progress {
    return body[this.#updates.progress] ?? NO_PROGRESS;
  }

  #outcome(isPending: boolean, error = this.#error): Outcome {
    const { processor } = this.#updates;
    return { failures: error === undefined ? this.#failures : [...this.#failures, { processor, error }], isPending };
  }
}
