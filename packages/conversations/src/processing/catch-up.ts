import { isMemoryError } from '@keepsake/core';
import { callFailure, MAX_TRIES } from '@keepsake/core/adapter';
import type { ConversationKind } from '../runs/kind.ts';
import type { Run } from '../runs/run.ts';
import type { RunRecords } from '../runs/run-records.ts';
import type { SessionBody, StoredSession } from '../runs/session.ts';
import type { SessionRecords } from '../runs/session-records.ts';
import { type NextRuns, nextRuns, nextSetAside } from './next-runs.ts';
import { afterFailure, afterSkip, afterStep, NO_PROGRESS, type Progress, type Step, triesOf } from './progress.ts';

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
 * If a step fails for another reason than a failure of the service, the next steps are smaller. A run that has failed
 * three times, at last alone, is set aside, so that later runs are processed. If the model answers these, and the
 * run still fails, it is given up. So no run is lost while the model is down, and none holds up the others.
 */
export class CatchUp<State, Answer> {
  readonly #work: Work;
  readonly #updates: Updates<State, Answer>;
  readonly #failures: ProcessorFailure[] = [];
  /** The runs that failed alone, until the model answers. */
  readonly #refused = new Map<Run, unknown>();
  readonly #tried = new Set<number>();
  #hasAnswered = false;
  #maxRuns = Infinity;

  constructor(work: Work, updates: Updates<State, Answer>) {
    this.#work = work;
    this.#updates = updates;
  }

  /** @param maxSteps - The rest waits for the next time. */
  async run(upTo: number, maxSteps: number): Promise<Outcome> {
    for (let steps = 0; ; steps++) {
      const session = await this.#work.sessions.get(this.#work.kind, this.#work.sessionId);
      const next = session && (await this.#next(session, upTo));
      if (session === undefined || next === undefined) return this.#outcome([...this.#refused.values()]);
      if (steps === maxSteps) return this.#outcome([...this.#refused.values()], true);
      const state = await this.#updates.read(session);
      let answer: Answer | undefined;
      try {
        answer = await this.#updates.ask(next.runs, state);
      } catch (error) {
        if (await this.#canContinue(next, error)) continue;
        return this.#outcome([error]);
      }
      if (!(await this.#commit(session, next, state, answer))) continue;
      await this.#skipRefused(answer !== undefined);
      const error = answer && this.#updates.refusalIn?.(answer);
      if (error !== undefined) this.#failures.push({ processor: this.#updates.processor, error });
    }
  }

  async #next(session: StoredSession, upTo: number): Promise<NextRuns | undefined> {
    const { runs } = this.#work;
    const progress = this.#progressOf(session.body);
    const { narrowThrough = 0, throughSeq } = progress;
    if (narrowThrough > throughSeq && !this.#hasAnswered) this.#maxRuns = 1;
    const limits = {
      upTo,
      maxRuns: this.#maxRuns,
      maxTokens: this.#updates.maxTokens(session),
      tokensOf: (run: Run) => this.#updates.tokensOf(run),
    };
    const next = await nextRuns(runs, progress, limits);
    return next ?? nextSetAside(runs, progress, (seq) => this.#tried.has(seq));
  }

  /** Records a failure. Returns whether other runs can be tried. */
  async #canContinue(next: NextRuns, error: unknown): Promise<boolean> {
    const { runs } = next;
    const [first] = runs;
    const isTimeout = isMemoryError(error, 'TIMEOUT');
    const kind = isTimeout ? 'unclear' : callFailure(error);
    if (first === undefined || kind === 'passing') return false;
    const tries = await this.#noteFailure(first.seq, next);
    if (runs.length > 1) {
      this.#maxRuns = 1;
      return this.#hasAnswered;
    }
    if (tries < MAX_TRIES[kind]) return false;
    for (const seq of next.done) this.#tried.add(seq);
    this.#refused.set(first, error);
    // An answer of another form is an answer.
    const isCertain =
      kind === 'refusal' || isMemoryError(error, 'INVALID_ARGUMENT') || isMemoryError(error, 'TOO_LARGE');
    if (isCertain || this.#hasAnswered) await this.#skipRefused(true);
    return true;
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

  async #noteFailure(seq: number, step: Step): Promise<number> {
    let tries = 0;
    await this.#change((body, now) => {
      const failed = afterFailure(now, step);
      tries = triesOf(failed, seq);
      return { ...body, [this.#updates.progress]: failed };
    });
    return tries;
  }

  /** Gives up the runs that failed alone, once the model has answered. */
  async #skipRefused(hasAnswered: boolean): Promise<void> {
    if (!hasAnswered) return;
    this.#hasAnswered = true;
    this.#maxRuns *= 2;
    for (const [{ runId, seq }, error] of this.#refused) {
      const isNew = await this.#change((body, now) =>
        now.skipped?.includes(seq) ? undefined : { ...body, [this.#updates.progress]: afterSkip(now, seq) },
      );
      if (isNew) this.#failures.push({ processor: this.#updates.processor, error, skipped: { runId, seq } });
    }
    this.#refused.clear();
  }

  /** Changes the session. Returns whether it was changed. */
  async #change(decide: (body: SessionBody, now: Progress) => SessionBody | undefined): Promise<boolean> {
    const { sessions, kind, sessionId } = this.#work;
    let isChanged = false;
    await sessions.change(kind, sessionId, (known) => {
      const body = known && decide(known.body, this.#progressOf(known.body));
      isChanged = body !== undefined;
      return body && { body };
    });
    return isChanged;
  }

  #progressOf(body: SessionBody): Progress {
    return body[this.#updates.progress] ?? NO_PROGRESS;
  }

  #outcome(errors: readonly unknown[], isPending = errors.length > 0): Outcome {
    const { processor } = this.#updates;
    const error = errors.slice(-1).map((one) => ({ processor, error: one }));
    return { failures: [...this.#failures, ...error], isPending };
  }
}
