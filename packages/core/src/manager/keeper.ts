import type { Outbox } from './outbox.ts';
import type { ReportFailure } from './report.ts';
import type { Item, Run } from './run.ts';
import { withDeadline } from './within.ts';

/** How long the outbox may take where nobody waits for it. */
export const OUTBOX_DEADLINE_MS = 60_000;

/** Keeps runs in an outbox until every store has saved them; of each run one write, and one removal, at a time. */
export class Keeper {
  readonly #outbox: Outbox;
  readonly #stores: readonly string[];
  readonly #deadlineMs: number;
  readonly #closed: AbortSignal;
  readonly #report: ReportFailure;

  /** @param deadlineMs - How long the end of a turn may wait. */
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

  /** Writes what is new of a run. A failure is reported, and thrown: the next time it is written along. */
  keep(run: Run): Promise<void> {
    return this.#next(run, 'kept', this.#deadlineMs, async (signal) => {
      const fresh = run.items.filter(({ number }) => number > run.durable);
      if (fresh.length === 0) return;
      const first = (fresh[0] as Item).number;
      await this.#keepStates(run, first);
      signal.throwIfAborted();
      const turn = await this.#outbox.writeTurn(run, fresh);
      // One that comes after it was given up is written along in another.
      if (signal.aborted && !this.#closed.aborted) return this.#outbox.removeTurn(turn);
      run.durable = turn.last;
      run.turns.push(turn);
      await this.#keepStates(run, first);
      this.sweep(run);
    });
  }

  /** Writes how far stores are that have saved a part of a turn already, or are about to. */
  async #keepStates(run: Run, first: number): Promise<void> {
    for (const store of this.#stores) {
      const state = { committed: run.committed(store), plan: run.plans.get(store)?.plan };
      if (Math.max(state.committed, state.plan?.last ?? -1) < first) continue;
      await this.#outbox.advance(run, store, state);
    }
  }

  /** Lets go of what every store has committed. A failure is reported: recover() removes what is left. */
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

  /** Does one thing after the other of its kind, and gives up what isn't done in time, the wait for others included. */
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
