import { withDeadline } from '../../common/deadline.ts';
import type { ReportFailure } from '../search/report.ts';
import type { Outbox } from './outbox.ts';
import type { Item } from './plan.ts';
import type { Run } from './run.ts';

/** The deadline of the outbox in the background. */
export const OUTBOX_DEADLINE_MS = 60_000;

/** How long new messages wait for others, to be written with them. */
const GATHER_MS = 100;

/** Keeps runs in an outbox until every store has saved them. One write and one removal at a time per run. */
export class OutboxWriter {
  readonly #outbox: Outbox;
  readonly #stores: readonly string[];
  readonly #deadlineMs: number;
  readonly #closed: AbortSignal;
  readonly #report: ReportFailure;
  /** Runs with new messages in a turn that goes on. */
  readonly #open = new Set<Run>();
  #timer: ReturnType<typeof setTimeout> | undefined;

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
    closed.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  /** Writes the new messages of a run in the background, with those that arrive in the next moment. */
  keepSoon(run: Run): void {
    this.#open.add(run);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // A failure is reported, and the end of the turn tries again.
      for (const open of this.#open) this.keep(open).catch(() => {});
      this.#open.clear();
    }, GATHER_MS);
  }

  /** Writes the new messages of a run. A failure is reported and thrown; the next write includes them. */
  keep(run: Run): Promise<void> {
    this.#open.delete(run);
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
      // If everything was saved in the meantime, nothing else removes these states.
      if (run.turns.length === 0) await this.#removeStates(run);
      else this.sweep(run);
    });
  }

  /** Writes the state of stores that have saved part of a turn or are about to. */
  async #keepStates(run: Run, first: number): Promise<void> {
    for (const store of this.#stores) {
      const { committed, plan } = run.of(store);
      const state = { committed, plan: plan?.plan };
      if (Math.max(state.committed, state.plan?.last ?? -1) < first) continue;
      await this.#outbox.advance(run, store, state);
    }
  }

  /** Removes what every store has committed. A failure is reported, and recover() removes the rest. */
  sweep(run: Run): void {
    this.#next(run, 'swept', OUTBOX_DEADLINE_MS, (signal) => this.#removeDone(run, signal)).catch(() => {});
  }

  async #removeDone(run: Run, signal: AbortSignal): Promise<void> {
    const { length } = run.turns;
    for (const turn of run.turns.filter(({ last }) => last <= run.done)) {
      await this.#outbox.removeTurn(turn);
      signal.throwIfAborted();
      run.turns.splice(run.turns.indexOf(turn), 1);
    }
    if (length > 0 && run.turns.length === 0) await this.#removeStates(run);
  }

  async #removeStates(run: Run): Promise<void> {
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
