import { untilAborted } from '@keepsake/internal';
import { isMemoryError, MemoryError } from '../../common/errors.ts';
import { messageText } from '../../model/message.ts';
import type { MemoryModel } from '../../model/model.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import type { Refusal } from '../search/refusal.ts';
import { type Feeding, MissingModel } from './check-extraction.ts';
import { type DeadLetters, letterId, type StoredLetter } from './dead-letters.ts';
import { extractChanges } from './extract-changes.ts';
import type { Extractor } from './extraction-config.ts';
import type { ExtractionOptions } from './extraction-options.ts';
import type { Outbox } from './outbox.ts';
import type { ChangeKeeper, Item, KeptPlan, Plan, PlannedChange } from './plan.ts';
import type { Aside } from './progress.ts';
import { Run } from './run.ts';
import { StoreWriter } from './store-writer.ts';
import { Unlearnable } from './unlearnable.ts';

export interface SaverOptions
  extends Pick<ExtractionOptions, 'stores' | 'initialize' | 'span' | 'report' | 'deadlineMs' | 'timeZone'> {
  readonly store: MemoryStore;
  readonly feeding: Feeding;
  readonly outbox: Outbox | undefined;
  /** The model for the messages of a run. */
  readonly modelOf: (run: Run) => MemoryModel | undefined;
  /** Aborted on close. */
  readonly closed: AbortSignal;
  /** Called for each committed batch. */
  readonly onCommit: (run: Run) => void;
}

/**
 * Saves messages to one store and keeps the progress of their runs. A retry repeats no write, and no model call that was
 * answered. Rejects with an {@link Unlearnable} if one of the messages may be the cause of a failure.
 */
export class BatchSaver {
  readonly #options: SaverOptions;
  readonly #name: string;
  readonly #writer: StoreWriter;
  /** By model: a message that it has answered. */
  readonly #answered = new WeakMap<object, Item>();
  #saved = 0;

  constructor(options: SaverOptions) {
    this.#options = options;
    this.#name = options.store.name;
    this.#writer = new StoreWriter(options);
  }

  /** The number of saved messages. */
  get saved(): number {
    return this.#saved;
  }

  /** Saves the next messages of a run together. */
  async save(run: Run, batch: readonly Item[], signal: AbortSignal): Promise<void> {
    const { feeding, outbox } = this.#options;
    const { first, last } = rangeOf(batch);
    const progress = run.of(this.#name);
    const standing = outbox && (await untilAborted(signal, () => outbox.standing(run, this.#name, first)));
    if (standing?.state !== undefined) progress.adopt(standing.state.committed, standing.state.aside ?? []);
    if (standing?.saved !== undefined) return this.#commit(run, standing.saved, 0);
    const given = progress.plan ?? (standing?.plan && this.#keep(run, standing.plan, this.#writer.filter(batch)));
    if (given !== undefined) return this.#applyPlan(run, given, signal);
    const utterances = this.#writer.filter(batch);
    const { extractor } = feeding;
    if (extractor !== undefined && utterances.length > 0) {
      const plan = { first, last, changes: await this.#extract(run, utterances, extractor, signal) };
      // The model answers, so what it refused before this batch can wait.
      progress.confirm();
      // A turn that is gone was saved by another process.
      const isOurs = await this.#tell(run, plan, standing?.version ?? 0, signal);
      return isOurs ? this.#applyPlan(run, this.#keep(run, plan, utterances), signal) : undefined;
    }
    if (utterances.length > 0) await this.#writer.addMessages(run, utterances, signal);
    await this.#markCommitted(run, first, last, utterances.length, signal);
  }

  /** Saves a message that was set aside. */
  async saveAside(run: Run, item: Item, aside: Aside, signal: AbortSignal): Promise<void> {
    const { outbox } = this.#options;
    const { number } = item;
    const isStored = outbox !== undefined && number <= run.durable;
    if (isStored && (await untilAborted(signal, () => outbox.isFinished(run, this.#name, number)))) {
      return this.#finish(run, number, 0);
    }
    const keep = (changes: readonly PlannedChange[]) => this.#keepAside(run, { ...aside, changes }, signal);
    const kept = await this.#saveAlone(run, item, { changes: aside.changes, keep }, signal);
    if (kept === undefined) return this.#finish(run, number, 0);
    // A process that ended before it could finish may have left one.
    const id = letterId({ run: run.id, number, storeName: this.#name });
    if (isStored) await untilAborted(signal, () => outbox.deadLetters.remove(id));
    await this.markFinished(run, number, savedOf(kept), signal);
    this.#reportRefusals(kept);
  }

  /**
   * Saves the message of a dead letter, unless the letter is gone. Rejects if the store refuses one of its changes, so that
   * the letter stays.
   */
  async saveLetter(letters: DeadLetters, letter: StoredLetter, signal: AbortSignal): Promise<void> {
    const { id, run: runId, thread, number, message, at } = letter;
    const standing = await untilAborted(signal, () => letters.standing(id));
    if (standing === undefined) return;
    // The same numbers in the same run, so that what was written before is not written again.
    const run = new Run(thread, [this.#name], { id: runId });
    const keep = (changes: readonly PlannedChange[]) =>
      untilAborted(signal, () => letters.keepChanges(letter, changes));
    const kept = await this.#saveAlone(run, { number, message, at }, { ...standing, keep }, signal);
    const [refusal] = kept?.refusals ?? [];
    if (refusal !== undefined) throw refusal.error;
  }

  /**
   * Saves one message, without the progress of its run. Returns what was saved, which is nothing if the filter leaves nothing,
   * or `undefined` if another process has finished the message.
   */
  async #saveAlone(run: Run, item: Item, keeper: ChangeKeeper, signal: AbortSignal): Promise<Saved | undefined> {
    const { extractor } = this.#options.feeding;
    const { number } = item;
    const utterances = this.#writer.filter([item]);
    const numbers = utterances.map((utterance) => utterance.number);
    const saved: Saved = { numbers, refusals: [] };
    if (utterances.length === 0) return saved;
    if (extractor === undefined) {
      await this.#writer.addMessages(run, utterances, signal);
      return saved;
    }
    const changes = keeper.changes ?? (await keeper.keep(await this.#extract(run, utterances, extractor, signal)));
    if (changes === undefined) return undefined;
    const kept: KeptPlan = { plan: { first: number, last: number, changes }, applied: 0, numbers, refusals: [] };
    await this.#applyChanges(run, kept, signal);
    const refusal = totalRefusal(kept);
    if (refusal !== undefined) throw new Unlearnable(refusal.error, true, 1);
    return kept;
  }

  /** Stores what is known of a message that is aside. Returns what is stored. */
  async storeAside(run: Run, aside: Aside, signal: AbortSignal): Promise<Aside> {
    const { outbox } = this.#options;
    const { number } = aside;
    if (outbox === undefined || number > run.durable) return aside;
    return (await untilAborted(signal, () => outbox.setAside(run, this.#name, number, aside))) ?? aside;
  }

  async #keepAside(run: Run, aside: Aside, signal: AbortSignal): Promise<readonly PlannedChange[] | undefined> {
    const { outbox } = this.#options;
    const { number } = aside;
    const stored = await this.storeAside(run, aside, signal);
    run.of(this.#name).replaceAside(stored);
    const isStored = outbox !== undefined && number <= run.durable;
    const isFinished = isStored && (await untilAborted(signal, () => outbox.isFinished(run, this.#name, number)));
    return isFinished ? undefined : stored.changes;
  }

  /** Confirms that all messages that were set aside can wait for their next try. */
  async confirm(run: Run, signal: AbortSignal): Promise<void> {
    const { outbox } = this.#options;
    const progress = run.of(this.#name);
    progress.confirm();
    const { committed, aside } = progress;
    const first = aside[0]?.number ?? committed;
    if (first <= run.durable) await untilAborted(signal, () => outbox?.advance(run, this.#name, { committed, aside }));
  }

  /** Gives up a message: writes a dead letter, if there is an outbox, and reports it. */
  async giveUp(run: Run, item: Item, error: unknown, signal: AbortSignal): Promise<void> {
    const { outbox } = this.#options;
    const { number, message, at } = item;
    const letter = { run: run.id, number, storeName: this.#name, thread: run.thread, message, at };
    if (outbox !== undefined) await untilAborted(signal, () => outbox.deadLetters.write(letter, error));
    if (number <= run.of(this.#name).committed) {
      await this.markFinished(run, number, 0, signal);
    } else {
      run.of(this.#name).finish(number);
      await this.#markCommitted(run, number, number, 0, signal);
    }
    const code = isMemoryError(error) ? error.code : 'BACKEND';
    const advice =
      outbox === undefined
        ? 'was dropped. See the cause. With an `outbox`, such messages are kept.'
        : 'is now a dead letter. See the cause, then call `memory.retryDeadLetters()` or `memory.deleteDeadLetters()`.';
    this.#reportDropped(new MemoryError(code, `A message could not be learned and ${advice}`, { cause: error }));
  }

  /** Whether the model of a run has answered before. */
  hasAnswered(run: Run): boolean {
    return this.#answered.has(this.#keyOf(run));
  }

  /** Asks the model of a run for a message that it has answered before, or else for `other`. Returns whether it answers. */
  async isAnswering(run: Run, other: Item | undefined, signal: AbortSignal): Promise<boolean> {
    const { extractor } = this.#options.feeding;
    const item = this.#answered.get(this.#keyOf(run)) ?? other;
    const utterances = item === undefined ? [] : this.#writer.filter([item]);
    if (extractor === undefined || utterances.length === 0) return false;
    try {
      await this.#extract(run, utterances, extractor, signal, () => {});
      return this.hasAnswered(run);
    } catch (error) {
      if (error instanceof Unlearnable) return false;
      throw error;
    }
  }

  #keyOf(run: Run): object {
    const { feeding, modelOf } = this.#options;
    return (feeding.extractor?.needsModel && modelOf(run)) || feeding;
  }

  async #extract(
    run: Run,
    utterances: readonly Item[],
    extractor: Extractor,
    signal: AbortSignal,
    onLeftOut = (error: unknown, count: number) => this.#reportDropped(error, count),
  ): Promise<PlannedChange[]> {
    const { feeding, modelOf } = this.#options;
    const model = modelOf(run);
    if (model === undefined && extractor.needsModel) throw new MissingModel(this.#name);
    const request = { run, utterances, feeding, extractor, model, signal, onLeftOut };
    const changes = await extractChanges(this.#options, request);
    // A short one, because it may be sent again. Without text, the model was perhaps not asked.
    const length = ({ message }: Item) => messageText(message).trim().length;
    const [shortest] = utterances.filter((item) => length(item) > 0).sort((a, b) => length(a) - length(b));
    if (shortest !== undefined) this.#answered.set(this.#keyOf(run), shortest);
    return changes;
  }

  #keep(run: Run, plan: Plan, utterances: readonly Item[]): KeptPlan {
    const numbers = utterances.map(({ number }) => number).filter((number) => number <= plan.last);
    const kept: KeptPlan = { plan, applied: 0, numbers, refusals: [] };
    run.of(this.#name).plan = kept;
    return kept;
  }

  async #applyPlan(run: Run, kept: KeptPlan, signal: AbortSignal): Promise<void> {
    const { first, last } = kept.plan;
    await this.#applyChanges(run, kept, signal);
    const refusal = totalRefusal(kept);
    if (refusal !== undefined) {
      // Nothing of these messages is stored, so none may count as saved.
      const items = kept.numbers.flatMap((number) => run.itemAt(number) ?? []);
      for (const item of items) await this.giveUp(run, item, refusal.error, signal);
      return this.#markCommitted(run, first, last, 0, signal);
    }
    await this.#markCommitted(run, first, last, savedOf(kept), signal);
    this.#reportRefusals(kept);
  }

  async #applyChanges(run: Run, kept: KeptPlan, signal: AbortSignal): Promise<void> {
    const { first, last, changes } = kept.plan;
    const from = { run: run.id, thread: run.thread, numbers: [first, last] as const };
    for (let index = kept.applied; index < changes.length; index++) {
      const refusal = await this.#writer.apply(changes[index] as PlannedChange, from, index, signal);
      if (refusal !== undefined) kept.refusals.push(refusal);
      kept.applied = index + 1;
    }
  }

  #commit(run: Run, last: number, saved: number): void {
    run.of(this.#name).commit(last);
    this.#removeSaved(run, saved);
  }

  #finish(run: Run, number: number, saved: number): void {
    run.of(this.#name).finish(number);
    this.#removeSaved(run, saved);
  }

  #removeSaved(run: Run, saved: number): void {
    this.#saved += saved;
    run.removeDone();
    this.#options.onCommit(run);
  }

  #reportRefusals({ refusals }: Saved): void {
    for (const { error } of refusals) this.#reportDropped(error);
  }

  #reportDropped(error: unknown, count = 1): void {
    this.#options.report({ storeName: this.#name, operation: 'extract', error, count });
  }

  /**
   * Stores the changes in the outbox before applying them, so that the model is not called again. Returns whether to apply
   * them: a process that saves a turn removes it and then its state, so this state is ours only if the turn still exists.
   */
  async #tell(run: Run, plan: Plan, version: number, signal: AbortSignal): Promise<boolean> {
    const { outbox } = this.#options;
    const turn = run.turnAt(plan.first);
    if (outbox === undefined || turn === undefined) return true;
    const { committed, aside } = run.of(this.#name);
    const state = { committed, aside, plan };
    const isWritten = await untilAborted(signal, () => outbox.writeState(run, this.#name, state, version));
    if (!isWritten) throw new MemoryError('CONFLICT', 'Another manager is saving this conversation and goes first.');
    if (await untilAborted(signal, () => outbox.hasTurn(turn))) return true;
    this.#commit(run, turn.last, 0);
    return false;
  }

  /** Removes saved items, after updating the outbox. */
  async #markCommitted(run: Run, first: number, last: number, saved: number, signal: AbortSignal): Promise<void> {
    const { outbox } = this.#options;
    const { aside } = run.of(this.#name);
    // No await between this check and the commit: a turn stored later is stored with the progress at that time.
    if (outbox !== undefined && first <= run.durable) {
      await untilAborted(signal, () => outbox.advance(run, this.#name, { committed: last, aside }));
    }
    this.#commit(run, last, saved);
  }

  /** Removes a message that was aside, after updating the outbox. */
  async markFinished(run: Run, number: number, saved: number, signal: AbortSignal): Promise<void> {
    const { outbox } = this.#options;
    if (number <= run.durable) await untilAborted(signal, () => outbox?.setAside(run, this.#name, number, undefined));
    this.#finish(run, number, saved);
  }
}

/** The messages of a plan, and the changes of theirs that the store refused. */
type Saved = Pick<KeptPlan, 'numbers' | 'refusals'>;

/** The number of saved messages: a refused change, which is reported as one message, costs one. */
function savedOf({ numbers, refusals }: Saved): number {
  return Math.max(0, numbers.length - refusals.length);
}

/** The first refusal, if the store refused every change. */
function totalRefusal({ plan, refusals }: KeptPlan): Refusal | undefined {
  return refusals.length === plan.changes.length ? refusals[0] : undefined;
}

function rangeOf(batch: readonly Item[]): { readonly first: number; readonly last: number } {
  return { first: (batch[0] as Item).number, last: (batch.at(-1) as Item).number };
}
