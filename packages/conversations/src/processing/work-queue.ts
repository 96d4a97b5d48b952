import { TaskQueues } from '@keepsake/internal';
import type { Outcome } from './catch-up.ts';

/** Work that has not begun. */
interface Waiting {
  upTo: number;
  readonly done: Promise<Outcome>;
}

/** Does work one after the other in each lane. Work of the same name that has not begun is done once. */
export class WorkQueue {
  readonly #lanes = new TaskQueues<string>();
  readonly #waiting = new Map<string, Waiting>();

  /** Does work up to a run. Reports a run that was given up only to the first of those who share the work. */
  async join(lane: string, name: string, upTo: number, work: (upTo: number) => Promise<Outcome>): Promise<Outcome> {
    const waiting = this.#waiting.get(name);
    if (waiting !== undefined) {
      waiting.upTo = Math.max(waiting.upTo, upTo);
      const { failures, isPending } = await waiting.done;
      return { failures: failures.filter(({ skipped }) => skipped === undefined), isPending };
    }
    const done = this.#lanes.run(lane, () => {
      const end = this.#waiting.get(name)?.upTo ?? upTo;
      this.#waiting.delete(name);
      return work(end);
    });
    this.#waiting.set(name, { upTo, done });
    return done;
  }
}
