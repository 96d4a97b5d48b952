import { isMemoryError } from '@keepsake/core';
import type { ProfileOwner, ProfileRecords } from '../profile/profile-records.ts';
import { sessionRecordId } from '../runs/places.ts';
import type { CheckedRun } from '../runs/run.ts';
import type { StoredSession } from '../runs/session.ts';
import type { Settings } from '../settings.ts';
import {
  CatchUp,
  type Outcome,
  type ProcessorFailure,
  type ProcessorName,
  type Updates,
  type Work,
} from './catch-up.ts';
import { ProfileUpdates } from './profile-updates.ts';
import { SummaryUpdates } from './summary-updates.ts';
import { WorkQueue } from './work-queue.ts';

/** The maximum number of model calls for a summary or a profile per save. */
const MAX_STEPS = 4;

/** The result of updating the summary and the profile. */
export interface CatchUpResult {
  /** Failed updates of the summary or the profile. They are retried at the next save or `catchUp`. */
  readonly errors: readonly ProcessorFailure[];
  /**
   * What does not include all completed runs yet, after a failure, or because there were too many for one save. The next save
   * continues, and `catchUp` finishes it.
   */
  readonly pending: readonly ProcessorName[];
}

/** The work of a session, and its user. */
export interface SessionWork extends Work {
  /** The owner of the profile, as far as it is known without the session. */
  readonly userId: string | undefined;
  ownerOf(session: StoredSession): ProfileOwner;
}

/**
 * Updates summaries and profiles. The saves of a session share updates, and the sessions of a user take turns at the profile.
 */
export class Processing {
  readonly #settings: Settings;
  readonly #profiles: ProfileRecords;
  readonly #queue = new WorkQueue();
  readonly #arrivals = new Arrivals();

  constructor(settings: Settings, profiles: ProfileRecords) {
    this.#settings = settings;
    this.#profiles = profiles;
  }

  /** Stores a run, and if it has completed, updates the summary and the profile. */
  async store<T extends { readonly seq: number }>(
    work: SessionWork,
    { status }: CheckedRun,
    store: () => Promise<T>,
  ): Promise<CatchUpResult & { readonly stored: T }> {
    const session = nameOf(work);
    const stored = await this.#arrivals.store(session, store);
    if (status !== 'completed' || !this.#isOn) return { stored, errors: [], pending: [] };
    // The runs that are being stored right now are processed together.
    await this.#arrivals.settled(session);
    return { stored, ...(await this.#process(work, stored.seq, MAX_STEPS)) };
  }

  /** Updates the summary and the profile until they include all runs or an update fails. */
  async finish(work: SessionWork): Promise<CatchUpResult> {
    if (!this.#isOn) return { errors: [], pending: [] };
    return this.#process(work, await work.runs.newestSeq(), Infinity);
  }

  get #isOn(): boolean {
    return this.#settings.summariser !== undefined || this.#settings.profiling !== undefined;
  }

  async #process(work: SessionWork, upTo: number, maxSteps: number): Promise<CatchUpResult> {
    const { summariser, profiling, toolCalls } = this.#settings;
    const session = nameOf(work);
    const user = work.userId === undefined ? session : `user ${work.userId}`;
    const update = <State, Answer>(updates: Updates<State, Answer>, lane: string) =>
      this.#update(`${updates.processor} ${lane}`, `${session} ${maxSteps}`, updates.processor, upTo, (end) =>
        new CatchUp(work, updates).run(end, maxSteps),
      );
    const results = await Promise.all([
      summariser && update(new SummaryUpdates(summariser, toolCalls), session),
      profiling && update(new ProfileUpdates(profiling, this.#profiles, (one) => work.ownerOf(one), toolCalls), user),
    ]);
    const done = results.filter((result) => result !== undefined);
    return { errors: done.flatMap(({ failures }) => failures), pending: done.flatMap(({ pending }) => pending) };
  }

  async #update(
    lane: string,
    name: string,
    processor: ProcessorName,
    upTo: number,
    work: (upTo: number) => Promise<Outcome>,
  ): Promise<Outcome & { readonly pending: readonly ProcessorName[] }> {
    try {
      const outcome = await this.#queue.join(lane, `${processor} ${name}`, upTo, work);
      this.#log(processor, name, outcome.failures);
      return { ...outcome, pending: outcome.isPending ? [processor] : [] };
    } catch (error) {
      const failures = [{ processor, error }];
      this.#log(processor, name, failures);
      return { failures, isPending: true, pending: [processor] };
    }
  }

  #log(processor: ProcessorName, name: string, failures: readonly ProcessorFailure[]): void {
    const codes = failures.map(({ error }) => (isMemoryError(error) ? error.code : 'an error that is no MemoryError'));
    const how = codes.length === 0 ? 'updated' : `failed to update (${codes.join(', ')})`;
    this.#settings.log(2, `${name}: ${how} the ${processor}.`);
  }
}

function nameOf({ kind, sessionId }: Work): string {
  return `session ${sessionRecordId(kind, sessionId)}`;
}

/** The runs that are being stored, by session. */
class Arrivals {
  readonly #storing = new Map<string, Set<Promise<unknown>>>();

  /** Stores a run. */
  async store<T>(session: string, store: () => Promise<T>): Promise<T> {
    const storing = this.#storing.get(session) ?? new Set();
    this.#storing.set(session, storing);
    const stored = store();
    storing.add(stored);
    try {
      return await stored;
    } finally {
      storing.delete(stored);
      if (storing.size === 0) this.#storing.delete(session);
    }
  }

  /** Resolves when the runs are stored, or have failed, that are being stored now. */
  async settled(session: string): Promise<void> {
    await Promise.allSettled(this.#storing.get(session) ?? []);
  }
}
