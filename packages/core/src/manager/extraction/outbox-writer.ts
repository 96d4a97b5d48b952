import { withDeadline } from '../../common/deadline.ts';
import type { ReportFailure } from '../search/report.ts';
import type { Outbox } from './outbox.ts';
import type { Item, Run } from './run.ts';

/** The deadline of the outbox in the background. */
export const OUTBOX_DEADLINE_MS = 60_000;

/** Keeps runs in an outbox until every store has saved them. One write and one removal at a time per run. */
export class OutboxWriter {
  readonly #outbox: Outbox;
  readonly #stores: readonly string[];
  readonly #deadlineMs: number;
  readonly #closed: AbortSignal;
  readonly #report: ReportFailure;

  /** @param deadlineMs - How long the end of a turn waits. */
  constructor(
    outbox: Outbox,
    stores: readonly string[],
    deadlineMs: number,
    closed: AbortSignal,
    report: ReportFailure,
  ) {
    this.#outbox = outbox;
    this.#stores = stores;
    this.#deadlineMs = deadlineMs;
    this.#closed = closed;
    this.#report = report;
  }

  /** Writes the new messages of a run. A failure is reported and thrown; the next write includes them. */
  keep(run: Run): Promise<void> {
    return this.#next(run, 'kept', this.#deadlineMs, async (signal) => {
      const fresh = run.items.filter(({ number }) => number > run.durable);
      if (fresh.length === 0) return;
      const first = (fresh[0] as Item).number;
      await this.#keepStates(run, first);
      signal.throwIfAborted();
      const turn = await this.#outbox.writeTurn(run, fresh);
      // If this write arrives late, another has included its messages.
      if (signal.aborted && !this.#closed.aborted) return this.#outbox.removeTurn(turn);
      run.durable = turn.last;
      run.turns.push(turn);
      await this.#keepStates(run, first);
      this.sweep(run);
    });
  }

  /** Writes the state of stores that have saved part of a turn or are about to. */
  async #keepStates(run: Run, first: number): Promise<void> {
    for (const store of this.#stores) {
      const state = { committed: run.committed(store), plan: run.plans.get(store)?.plan };
      if (Math.max(state.committed, state.plan?.last ?? -1) < first) continue;
      await this.#outbox.advance(run, store, state);
    }
  }

  /** Removes what every store has committed. A failure is reported, and recover() removes the rest. */
  sweep(run: Run): void {
    this.#next(run, 'swept', OUTBOX_DEADLINE_MS, (signal) => this.#removeDone(run, signal)).catch(() => {});
  }

  async #removeDone(run: Run, signal: AbortSignal): Promise<void> {
    const done = run.doneUpTo();
    const { length } = run.turns;
    for (let [turn] = run.turns; turn !== undefined && turn.last <= done; [turn] = run.turns) {
      await this.#outbox.removeTurn(turn);
      signal.throwIfAborted();
      run.turns.shift();
    }
    if (length === 0 || run.turns.length > 0) return;
    for (const store of this.#stores) await this.#outbox.removeState(run, store, run.newest);
  }

  /** Runs tasks of the same kind one after the other, with a deadline that includes the wait. */
  #next(run: Run, kind: 'kept' | 'swept', ms: number, use: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const before = run[kind];
    const used = withDeadline(ms, this.#closed, async (signal) => {
      await before;
      signal.throwIfAborted();
      await use(signal);
    });
    run[kind] = used.catch((error: unknown) => {
      if (!this.#closed.aborted) this.#report({ storeName: this.#outbox.name, operation: 'outbox', error });
    });
    return used;
  }
}
