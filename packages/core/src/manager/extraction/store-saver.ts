import { untilAborted } from '@keepsake/internal';
import { withDeadline } from '../../common/deadline.ts';
import { isMemoryError } from '../../common/errors.ts';
import { BatchSaver, type SaverOptions } from './batch-saver.ts';
import { MissingModel } from './check-extraction.ts';
import type { DeadLetters, StoredLetter } from './dead-letters.ts';
import { maxPrompts } from './first-batch.ts';
import type { Item } from './plan.ts';
import type { Aside } from './progress.ts';
import type { Run } from './run.ts';
import { MAX_TIMER_MS } from './triggers.ts';
import { Unlearnable } from './unlearnable.ts';

/** After this many failures in a row, only every third request reaches a store. */
const PATIENCE = 10;
const PROBE_EVERY = 3;
/** This many failures in a row cast doubt on the model: more than it takes to split a batch into single messages. */
const MAX_FAILURES = 12;

/** The failure of a run, to report unless it is saved after all. */
interface Failure {
  readonly error: unknown;
  /** The number of messages that failed together. */
  readonly count: number;
}

/** How many saves of other runs a failed one lets pass before it is tried again: twice as many after each failure. */
interface Pauses {
  readonly all: number;
  left: number;
}

/** The search for the message that makes a batch fail. */
interface Search {
  /** Failures since the model last answered, and how many cast doubt on it. */
  failures: number;
  maxFailures: number;
  /** The end of the last batch that was tried again as it was. */
  repeated: number;
  /** The number of messages that failed together first. */
  count: number;
  /** The last failure. */
  failure?: Unlearnable;
}

/** Saves to one store, one batch at a time, in order within a run. */
export class StoreSaver {
  readonly name: string;
  readonly #options: SaverOptions;
  readonly #batches: BatchSaver;
  /** Requested saves that are pending. */
  readonly #waiting = new Set<Run>();
  /** Requested saves that failed, the last one last. */
  readonly #resting = new Map<Run, Pauses>();
  #last: Promise<unknown> = Promise.resolve();
  #isQueued = false;
  #failures = 0;
  /** Whether the last failure was a timeout. */
  #hangs = false;
  #turnedAway = 0;
  #lacksModel = false;

  constructor(options: SaverOptions) {
    this.name = options.store.name;
    this.#options = options;
    this.#batches = new BatchSaver(options);
  }

  /** Resolves when all requests so far are done. */
  get idle(): Promise<unknown> {
    return this.#last;
  }

  /** Requests a save of a run, and if that succeeds, of earlier failures. Returns at once. */
  request(run: Run): void {
    if (run.pending(this.name).length > 0) this.#waiting.add(run);
    if (this.#failures >= PATIENCE && ++this.#turnedAway % PROBE_EVERY !== 0) return;
    if (this.#isQueued || this.#waiting.size === 0) return;
    this.#isQueued = true;
    void this.#serially(() => this.#saveWaiting());
  }

  /** The number of saved messages. */
  get saved(): number {
    return this.#batches.saved;
  }

  /** Saves runs up to their limits now, regardless of earlier failures. Returns the number of unsaved messages. */
  async flush(limits: ReadonlyMap<Run, number>): Promise<number> {
    await this.#serially(async () => {
      const doubtful = new Map<Run, Failure>();
      // Failed runs come last, so that one that always times out does not starve the others.
      for (const run of [...[...limits.keys()].filter((run) => !this.#resting.has(run)), ...this.#resting.keys()]) {
        const limit = limits.get(run);
        if (limit === undefined || (await this.#saveOrNote(run, limit, doubtful))) continue;
        // The others would hang as well.
        if (this.#hangs) break;
      }
      for (const [run, failure] of doubtful) {
        // The model may have answered another run in the meantime, which tells a message that it refuses from an outage.
        const isOutage = this.#hangs || !this.#batches.hasAnswered(run);
        if (isOutage) this.#report(failure);
        else await this.#save(run, limits.get(run));
      }
    });
    return [...limits].reduce((sum, [run, limit]) => sum + run.pending(this.name, limit).length, 0);
  }

  /** Tries dead letters again. Returns how many of their messages are saved. */
  async retry(deadLetters: DeadLetters, letters: readonly StoredLetter[]): Promise<number> {
    const { closed } = this.#options;
    let saved = 0;
    await this.#serially(async () => {
      for (const letter of letters) {
        try {
          const prompts = maxPrompts([letter]);
          await this.#within((signal) => this.#batches.saveLetter(deadLetters, letter, signal), prompts);
          await deadLetters.remove(letter.id);
          saved++;
        } catch (thrown) {
          if (closed.aborted) return;
          await deadLetters.fail(letter.id, thrown instanceof Unlearnable ? thrown.error : thrown);
        }
      }
    });
    return saved;
  }

  #serially(task: () => Promise<void>): Promise<void> {
    const done = this.#last.then(task);
    this.#last = done.catch(() => {});
    return done;
  }

  async #saveWaiting(): Promise<void> {
    this.#isQueued = false;
    let isSaving = false;
    for (const run of [...this.#waiting]) {
      this.#waiting.delete(run);
      if (await this.#saveOrNote(run, run.items.at(-1)?.number)) isSaving = true;
      // A probe is one attempt, and a hanging store gets only that.
      else if (this.#failures >= PATIENCE || this.#hangs) return;
    }
    if (!isSaving) return;
    for (const [run, pauses] of [...this.#resting]) {
      if (pauses.left-- > 0) continue;
      if (!(await this.#saveOrNote(run, run.items.at(-1)?.number)) && this.#hangs) return;
    }
  }

  async #saveOrNote(run: Run, limit: number | undefined, doubtful?: Map<Run, Failure>): Promise<boolean> {
    const isSaved = await this.#save(run, limit, doubtful);
    const before = this.#resting.get(run);
    this.#resting.delete(run);
    if (isSaved) return true;
    const all = before === undefined ? 0 : 2 * before.all || 1;
    this.#resting.set(run, { all, left: all });
    return false;
  }

  /**
   * Saves a run up to a number. A batch that fails is split until the message that causes it is alone; that one is tried
   * again after the others, and given up in the end. Returns whether it succeeded. Never throws.
   *
   * @param doubtful - Gets the failures of a model that has never answered, instead of reporting them.
   */
  async #save(run: Run, limit = -1, doubtful?: Map<Run, Failure>): Promise<boolean> {
    const progress = run.of(this.name);
    // A model that failed the last time is probably still down, so that not every save has to find that out.
    const maxFailures = this.#failures % PROBE_EVERY === 0 ? MAX_FAILURES : 1;
    const search: Search = { failures: 0, maxFailures, repeated: -1, count: 0 };
    try {
      for (;;) {
        const batch = progress.nextBatch(run.items, limit);
        const last = batch.at(-1)?.number;
        if (last === undefined) break;
        progress.inFlight = last;
        search.count ||= batch.length;
        try {
          await this.#within((signal) => this.#batches.save(run, batch, signal), maxPrompts(batch));
          search.failures = 0;
          search.count = 0;
          this.#succeeded();
        } catch (error) {
          if (!(error instanceof Unlearnable)) {
            search.count = batch.length;
            throw error;
          }
          await this.#failed(run, batch, error, search);
        }
      }
      await this.#saveAside(run, search);
      return true;
    } catch (thrown) {
      if (this.#options.closed.aborted) return false;
      progress.release();
      const error = thrown instanceof Unlearnable ? thrown.error : thrown;
      const failure = { error, count: search.count || 1 };
      if (error instanceof MissingModel) {
        if (!this.#lacksModel) this.#report(failure);
        this.#lacksModel = true;
        return false;
      }
      this.#failures++;
      this.#hangs = isMemoryError(error, 'TIMEOUT');
      // Where it has answered before, it was asked for that again.
      const isUnproven = thrown instanceof Unlearnable && !this.#batches.hasAnswered(run);
      if (doubtful && isUnproven) doubtful.set(run, failure);
      else this.#report(failure);
      return false;
    } finally {
      progress.inFlight = -1;
    }
  }

  /** Splits a batch that failed, or sets its only message aside. Rejects with the failure if the model seems to be down. */
  async #failed(run: Run, batch: readonly Item[], failure: Unlearnable, search: Search): Promise<void> {
    const progress = run.of(this.name);
    const last = batch.at(-1) as Item;
    search.failure = failure;
    if (!failure.isCertain && ++search.failures >= search.maxFailures) {
      const newest = run.items.at(-1);
      await this.#expectAnswer(run, failure, batch.length > 1 || newest !== last ? newest : undefined);
      search.failures = 0;
      search.maxFailures = MAX_FAILURES;
    }
    if (batch.length > 1) {
      const isWhole = !progress.isCutAt(last.number) && search.repeated !== last.number;
      search.repeated = last.number;
      // Messages that belong together are learned from better together, and many failures pass.
      if (failure.isCertain || !isWhole) progress.cut(batch);
      return;
    }
    const aside = progress.setAside(last.number, failure.isCertain);
    if (aside.tries >= failure.maxTries) await this.#giveUp(run, last, failure);
  }

  /** Tries messages that are aside, each alone, until they are saved or given up. */
  async #saveAside(run: Run, search: Search): Promise<void> {
    const progress = run.of(this.name);
    if (progress.isInDoubt) await this.#expectAnswer(run, search.failure, undefined);
    if (progress.hasUnconfirmed) await this.#within((signal) => this.#batches.confirm(run, signal));
    for (let due = progress.aside; due.length > 0; due = progress.aside) {
      for (const aside of due) {
        const item = run.itemAt(aside.number);
        if (item !== undefined) await this.#tryAlone(run, item, aside, search);
        // It was dropped, because too many were waiting.
        else await this.#within((signal) => this.#batches.markFinished(run, aside.number, 0, signal));
      }
    }
  }

  async #tryAlone(run: Run, item: Item, aside: Aside, search: Search): Promise<void> {
    search.count = 1;
    try {
      await this.#within((signal) => this.#batches.saveAside(run, item, aside, signal), maxPrompts([item]));
      this.#succeeded();
    } catch (failure) {
      if (!(failure instanceof Unlearnable)) throw failure;
      const next = run.of(this.name).setAside(item.number, failure.isCertain);
      if (next.tries >= failure.maxTries) await this.#giveUp(run, item, failure);
      else await this.#within((signal) => this.#batches.storeAside(run, next, signal));
    }
  }

  /** Gives up a message, unless the model has stopped answering others as well. */
  async #giveUp(run: Run, item: Item, failure: Unlearnable): Promise<void> {
    if (!failure.isCertain || this.#batches.hasAnswered(run)) await this.#expectAnswer(run, failure, undefined);
    await this.#within((signal) => this.#batches.giveUp(run, item, failure.error, signal));
  }

  /** Rejects with a failure unless the model answers other messages. */
  async #expectAnswer(run: Run, failure: Unlearnable | undefined, other: Item | undefined): Promise<void> {
    let isAnswering = false;
    await this.#within(async (signal) => {
      isAnswering = await this.#batches.isAnswering(run, other, signal);
    });
    if (!isAnswering) throw failure;
  }

  /** @param prompts - Each has the whole deadline. */
  #within(work: (signal: AbortSignal) => Promise<unknown>, prompts = 1): Promise<unknown> {
    const { closed, feeding, initialize, store } = this.#options;
    return withDeadline(Math.min(feeding.deadlineMs * prompts, MAX_TIMER_MS), closed, async (signal) => {
      await untilAborted(signal, () => initialize(store));
      return work(signal);
    });
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#hangs = false;
    this.#turnedAway = 0;
    this.#lacksModel = false;
  }

  #report({ error, count }: Failure): void {
    this.#options.report({ storeName: this.name, operation: 'extract', error, count });
  }
}
