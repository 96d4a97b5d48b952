import { untilAborted } from '@keepsake/internal';
import { withDeadline } from '../../common/deadline.ts';
import { isMemoryError, MemoryError } from '../../common/errors.ts';
import { messageText } from '../../model/message.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import { orRefusal, Refusal } from '../search/refusal.ts';
import { applyChange, type Provenance } from './apply-change.ts';
import type { Feeding } from './check-extraction.ts';
import { extractChanges } from './extract-changes.ts';
import { isEmptied, withoutTools } from './extraction-filter.ts';
import type { ExtractionOptions } from './extraction-options.ts';
import { firstBatch } from './first-batch.ts';
import type { Outbox } from './outbox.ts';
import type { Item, KeptPlan, Plan, PlannedChange, Run } from './run.ts';

/** After this many failures in a row, only every third request reaches a store. */
const PATIENCE = 10;
const PROBE_EVERY = 3;

const OPERATIONS = { add: 'create_memory', update: 'update_memory', delete: 'delete_memory' } as const;

export interface SaverOptions
  extends Pick<ExtractionOptions, 'stores' | 'model' | 'initialize' | 'span' | 'report' | 'deadlineMs'> {
  readonly store: MemoryStore;
  readonly feeding: Feeding;
  readonly outbox: Outbox | undefined;
  /** Aborted on close. */
  readonly closed: AbortSignal;
  /** Called for each committed batch. */
  readonly onCommit: (run: Run) => void;
}

/** Saves to one store, one batch at a time, in order within a run. */
export class StoreSaver {
  readonly name: string;
  readonly #options: SaverOptions;
  /** Requested saves that are pending or failed. */
  readonly #waiting = new Set<Run>();
  #last: Promise<unknown> = Promise.resolve();
  #isQueued = false;
  #failures = 0;
  /** Whether the last failure was a timeout. */
  #hangs = false;
  #turnedAway = 0;
  #saved = 0;

  constructor(options: SaverOptions) {
    this.name = options.store.name;
    this.#options = options;
  }

  /** Resolves when all requests so far are done. */
  get idle(): Promise<unknown> {
    return this.#last;
  }

  /** Requests a save of a run and of earlier failures. Returns at once. */
  request(run: Run): void {
    if (run.pending(this.name).length > 0) this.#waiting.add(run);
    if (this.#failures >= PATIENCE && ++this.#turnedAway % PROBE_EVERY !== 0) return;
    if (this.#isQueued || this.#waiting.size === 0) return;
    this.#isQueued = true;
    void this.#serially(() => this.#saveWaiting());
  }

  /** The number of saved messages. */
  get saved(): number {
    return this.#saved;
  }

  /** Saves runs up to their limits now, regardless of earlier failures. Returns the number of unsaved messages. */
  async flush(limits: ReadonlyMap<Run, number>): Promise<number> {
    await this.#serially(async () => {
      // Failed runs come last, so that one that always times out does not starve the others.
      for (const run of [...[...limits.keys()].filter((run) => !this.#waiting.has(run)), ...this.#waiting]) {
        const limit = limits.get(run);
        if (limit === undefined || (await this.#save(run, limit))) continue;
        this.#putLast(run);
        // The others would hang as well.
        if (this.#hangs) return;
      }
    });
    return [...limits].reduce((sum, [run, limit]) => sum + run.pending(this.name, limit).length, 0);
  }

  #serially(task: () => Promise<void>): Promise<void> {
    const done = this.#last.then(task);
    this.#last = done;
    return done;
  }

  async #saveWaiting(): Promise<void> {
    this.#isQueued = false;
    for (const run of [...this.#waiting]) {
      this.#waiting.delete(run);
      if (await this.#save(run, run.items.at(-1)?.number)) continue;
      this.#putLast(run);
      // A probe is one attempt, and a hanging store gets only that.
      if (this.#failures >= PATIENCE || this.#hangs) return;
    }
  }

  #putLast(run: Run): void {
    this.#waiting.delete(run);
    this.#waiting.add(run);
  }

  /** Saves a run up to a number. Returns whether it succeeded. Never throws. */
  async #save(run: Run, limit = -1): Promise<boolean> {
    const { closed, feeding, initialize, report, store } = this.#options;
    let batch: readonly Item[] = [];
    try {
      for (;;) {
        batch = firstBatch(run.pending(this.name, limit));
        const last = batch.at(-1)?.number;
        if (last === undefined) return true;
        run.setInFlight(this.name, last);
        await withDeadline(feeding.deadlineMs, closed, async (signal) => {
          await untilAborted(signal, () => initialize(store));
          await this.#saveBatch(run, batch, signal);
        });
        this.#failures = 0;
        this.#hangs = false;
        this.#turnedAway = 0;
      }
    } catch (error) {
      if (closed.aborted) return false;
      this.#failures++;
      this.#hangs = isMemoryError(error, 'TIMEOUT');
      report({ storeName: this.name, operation: 'extract', error, count: batch.length });
      return false;
    } finally {
      run.setInFlight(this.name, -1);
    }
  }

  async #saveBatch(run: Run, batch: readonly Item[], signal: AbortSignal): Promise<void> {
    try {
      await this.#saveWhole(run, batch, signal);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { first, last } = rangeOf(batch);
      if (first === last) {
        // It must not block later runs forever.
        this.#reportDropped(error.error);
        return this.#markCommitted(run, first, last, 0, signal);
      }
      const middle = Math.ceil(batch.length / 2);
      await this.#saveBatch(run, batch.slice(0, middle), signal);
      await this.#saveBatch(run, batch.slice(middle), signal);
    }
  }

  async #saveWhole(run: Run, batch: readonly Item[], signal: AbortSignal): Promise<void> {
    const { feeding, outbox } = this.#options;
    const { first, last } = rangeOf(batch);
    const standing = outbox && (await untilAborted(signal, () => outbox.standing(run, this.name, first)));
    if (standing?.saved !== undefined) return this.#commit(run, standing.saved, 0);
    const given = run.plans.get(this.name) ?? (standing?.plan && this.#keep(run, standing.plan, this.#filter(batch)));
    if (given !== undefined) return this.#applyPlan(run, given, signal);
    const utterances = this.#filter(batch);
    if (feeding.extractor !== undefined && utterances.length > 0) {
      const onLeftOut = (error: unknown, count: number) => this.#reportDropped(error, count);
      const request = { run, utterances, feeding, extractor: feeding.extractor, signal, onLeftOut };
      const plan = { first, last, changes: await extractChanges(this.#options, request) };
      // A turn that is gone was saved by another process.
      const isOurs = await this.#tell(run, plan, standing?.version ?? 0, signal);
      return isOurs ? this.#applyPlan(run, this.#keep(run, plan, utterances), signal) : undefined;
    }
    if (utterances.length > 0) await this.#addMessages(run, utterances, signal);
    await this.#markCommitted(run, first, last, utterances.length, signal);
  }

  #keep(run: Run, plan: Plan, utterances: readonly Item[]): KeptPlan {
    const kept = { plan, applied: 0, count: utterances.filter(({ number }) => number <= plan.last).length };
    run.plans.set(this.name, kept);
    return kept;
  }

  async #applyPlan(run: Run, kept: KeptPlan, signal: AbortSignal): Promise<void> {
    const { first, last, changes } = kept.plan;
    const from = { run: run.id, thread: run.thread, numbers: [first, last] as const };
    for (let index = kept.applied; index < changes.length; index++) {
      await this.#apply(changes[index] as PlannedChange, from, index, signal);
      kept.applied = index + 1;
    }
    await this.#markCommitted(run, first, last, kept.count, signal);
  }

  #commit(run: Run, last: number, saved: number): void {
    this.#saved += saved;
    run.plans.delete(this.name);
    run.commit(this.name, last);
    this.#options.onCommit(run);
  }

  #filter(batch: readonly Item[]): Item[] {
    const { filter = withoutTools } = this.#options.feeding;
    return batch.flatMap(({ number, message, at }) => {
      try {
        // A copy, because no filter or store may change what another store gets.
        const left = filter(structuredClone(message));
        return left === undefined || isEmptied(left) ? [] : [{ number, message: left, at }];
      } catch (error) {
        this.#reportDropped(error);
        return [];
      }
    });
  }

  async #addMessages(run: Run, utterances: readonly Item[], signal: AbortSignal): Promise<void> {
    const { store, span } = this.#options;
    const messages = utterances.map(({ message }) => message);
    const sequenceNumbers = utterances.map(({ number }) => number);
    const added = span('create_memory', this.name, (tell) => {
      tell({ count: messages.length, records: messages.map((message) => ({ content: messageText(message) })) });
      return untilAborted(signal, () =>
        store.addMessages?.(messages, { sequenceNumbers, runId: run.id, thread: run.thread }),
      );
    });
    await orRefusal(added);
  }

  async #apply(change: PlannedChange, from: Provenance, index: number, signal: AbortSignal): Promise<void> {
    const { store, span } = this.#options;
    const applied = span(OPERATIONS[change.kind], this.name, (tell) => {
      if (change.kind !== 'add') tell({ recordId: change.id });
      if (change.kind !== 'delete') tell({ records: [{ content: change.content }] });
      tell({ count: 1 });
      return applyChange(store, change, from, index, signal);
    });
    try {
      await orRefusal(applied);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#reportDropped(error.error);
    }
  }

  #reportDropped(error: unknown, count = 1): void {
    this.#options.report({ storeName: this.name, operation: 'extract', error, count });
  }

  /**
   * Stores the changes in the outbox before applying them, so that the model is not called again. Returns whether to apply
   * them: a process that saves a turn removes it and then its state, so this state is ours only if the turn still exists.
   */
  async #tell(run: Run, plan: Plan, version: number, signal: AbortSignal): Promise<boolean> {
    const { outbox } = this.#options;
    const turn = run.turnAt(plan.first);
    if (outbox === undefined || turn === undefined) return true;
    const state = { committed: run.committed(this.name), plan };
    const isWritten = await untilAborted(signal, () => outbox.writeState(run, this.name, state, version));
    if (!isWritten) throw new MemoryError('CONFLICT', 'Another manager is saving this conversation and goes first.');
    if (await untilAborted(signal, () => outbox.hasTurn(turn))) return true;
    this.#commit(run, turn.last, 0);
    return false;
  }

  /** Removes saved items, after updating the outbox. */
  async #markCommitted(run: Run, first: number, last: number, saved: number, signal: AbortSignal): Promise<void> {
    const { outbox } = this.#options;
    // No await between this check and the commit: a turn stored later is stored with the progress at that time.
    if (outbox !== undefined && first <= run.durable) {
      await untilAborted(signal, () => outbox.advance(run, this.name, { committed: last }));
    }
    this.#commit(run, last, saved);
  }
}

function rangeOf(batch: readonly Item[]): { readonly first: number; readonly last: number } {
  return { first: (batch[0] as Item).number, last: (batch.at(-1) as Item).number };
}
