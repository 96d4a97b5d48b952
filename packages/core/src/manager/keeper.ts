import type { Outbox } from './outbox.ts';
import type { ReportFailure } from './report.ts';
import type { Item, Run } from './run.ts';
import { withDeadline } from './within.ts';

/** How long the outbox may take. */
export const OUTBOX_DEADLINE_MS = 60_000;

/** Keeps runs in an outbox until every store has saved them; of each run one thing at a time. */
export class Keeper {
  readonly #outbox: Outbox;
  readonly #stores: readonly string[];
  readonly #closed: AbortSignal;
  readonly #report: ReportFailure;

  constructor(outbox: Outbox, stores: readonly string[], closed: AbortSignal, report: ReportFailure) {
    this.#outbox = outbox;
    this.#stores = stores;
    this.#closed = closed;
    this.#report = report;
  }

  /** Writes what is new of a run. A failure is reported, and thrown. */
  keep(run: Run): Promise<void> {
    return this.#next(run, async () => {
      const fresh = run.items.filter(({ number }) => number > run.durable);
      if (fresh.length === 0) return;
      const first = (fresh[0] as Item).number;
      await this.#keepStates(run, first);
      const turn = await this.#outbox.writeTurn(run, fresh);
      run.durable = turn.last;
      run.turns.push(turn);
      await this.#keepStates(run, first);
      await this.#removeDone(run);
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
    this.#next(run, () => this.#removeDone(run)).catch(() => {});
  }

  async #removeDone(run: Run): Promise<void> {
    const done = run.doneUpTo();
    const { length } = run.turns;
    for (let [turn] = run.turns; turn !== undefined && turn.last <= done; [turn] = run.turns) {
      await this.#outbox.removeTurn(run, turn);
      run.turns.shift();
    }
    if (length === 0 || run.turns.length > 0) return;
    for (const store of this.#stores) await this.#outbox.removeState(run, store, run.newest);
  }

  #next(run: Run, use: () => Promise<void>): Promise<void> {
    const used = run.outboxIdle.then(() => withDeadline(OUTBOX_DEADLINE_MS, this.#closed, use));
    run.outboxIdle = used.catch((error: unknown) => {
      if (!this.#closed.aborted) this.#report({ storeName: this.#outbox.name, operation: 'outbox', error });
    });
    return used;
  }
}
