import { untilAborted } from '@keepsake/internal';
import { isMemoryError, MemoryError } from '../../common/errors.ts';
import { messageText } from '../../model/message.ts';
import type { MemoryModel } from '../../model/model.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import { type Feeding, MissingModel } from './check-extraction.ts';
import { type DeadLetters, failureOf, type StoredLetter } from './dead-letters.ts';
import { extractChanges } from './extract-changes.ts';
import type { Extractor } from './extraction-config.ts';
import type { ExtractionOptions } from './extraction-options.ts';
import { MessageFailure } from './message-failure.ts';
import type { Outbox } from './outbox.ts';
import type { Item, KeptPlan, MessageError, Plan, PlannedChange } from './plan.ts';
import { Run } from './run.ts';
import { StoreWriter } from './store-writer.ts';

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
 * answered. Rejects with a {@link MessageFailure} if one of the messages may be the cause of a failure.
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

  /** Saves the next messages of a run together. With `cause`, gives them up instead. */
  async save(run: Run, batch: readonly Item[], signal: AbortSignal, cause?: unknown): Promise<void> {
    const { feeding, outbox } = this.#options;
    const [first, last] = [(batch[0] as Item).number, (batch.at(-1) as Item).number];
    const standing = outbox && (await untilAborted(signal, () => outbox.standing(run, this.#name, first)));
    if (standing?.saved !== undefined) return this.#commit(run, standing.saved, 0);
    let keptPlan = run.of(this.#name).plan;
    if (standing?.plan !== undefined && keptPlan === undefined) {
      keptPlan = this.#keep(run, standing.plan, this.#writer.filter(run.pending(this.#name, standing.plan.last)));
    }
    if (keptPlan !== undefined) return this.#carryOut(run, keptPlan, signal);
    const utterances = this.#writer.filter(batch);
    const { extractor } = feeding;
    let plan: Plan;
    if (cause !== undefined) {
      plan = { first, last, changes: [], failure: failureOf(cause) };
    } else if (extractor !== undefined && utterances.length > 0) {
      plan = { first, last, changes: await this.#extract(run, utterances, extractor, signal) };
    } else {
      if (utterances.length > 0) await this.#writer.addMessages(run, utterances, signal);
      return this.#markCommitted(run, first, last, utterances.length, signal);
    }
    // A turn that is gone was saved by another process.
    const isOurs = await this.#storePlan(run, plan, standing?.version ?? 0, signal);
    if (isOurs) await this.#carryOut(run, this.#keep(run, plan, utterances), signal, cause);
  }

  /**
   * Saves the message of a dead letter, unless the letter is gone. Rejects if the store refuses one of its changes, so that
   * the letter stays.
   */
  async saveLetter(letters: DeadLetters, letter: StoredLetter, signal: AbortSignal): Promise<void> {
    const { id, run: runId, thread, number, message, at } = letter;
    const standing = await untilAborted(signal, () => letters.standing(id));
    const utterances = this.#writer.filter([{ number, message, at }]);
    if (standing === undefined || utterances.length === 0) return;
    // The same numbers in the same run, so that what was written before is not written again.
    const run = new Run(thread, [this.#name], { id: runId });
    const { extractor } = this.#options.feeding;
    if (extractor === undefined) return this.#writer.addMessages(run, utterances, signal);
    let { changes } = standing;
    if (changes === undefined) {
      const extracted = await this.#extract(run, utterances, extractor, signal);
      changes = await untilAborted(signal, () => letters.keepChanges(letter, extracted));
    }
    if (changes === undefined) return;
    const keptPlan = this.#keep(run, { first: number, last: number, changes }, utterances);
    await this.#applyChanges(run, keptPlan, signal);
    const [refusal] = keptPlan.refusals;
    if (refusal !== undefined) throw refusal;
  }

  /**
   * Whether the model of a run still answers. Asks it again for a message that it has answered before, or else for `other`.
   *
   * @returns `undefined` if there is nothing to ask it for.
   */
  async isAnswering(run: Run, other: Item | undefined, signal: AbortSignal): Promise<boolean | undefined> {
    const { extractor } = this.#options.feeding;
    const item = this.#answered.get(this.#modelKey(run)) ?? other;
    const utterances = item === undefined ? [] : this.#writer.filter([item]);
    if (extractor === undefined || utterances.length === 0) return undefined;
    try {
      await this.#extract(run, utterances, extractor, signal, () => {});
      return this.#answered.has(this.#modelKey(run));
    } catch (error) {
      if (error instanceof MessageFailure) return false;
      throw error;
    }
  }

  #modelKey(run: Run): object {
    const { feeding, modelOf } = this.#options;
    return (feeding.extractor?.needsModel && modelOf(run)) || feeding;
  }

  async #extract(
    run: Run,
    utterances: readonly Item[],
    extractor: Extractor,
    signal: AbortSignal,
    onLeftOut = (error: unknown, count: number) => this.#report(error, count),
  ): Promise<PlannedChange[]> {
    const { feeding, modelOf } = this.#options;
    const model = modelOf(run);
    if (model === undefined && extractor.needsModel) throw new MissingModel(this.#name);
    const request = { run, utterances, feeding, extractor, model, signal, onLeftOut };
    const changes = await extractChanges(this.#options, request);
    // A short one, because it may be sent again. Without text, the model was perhaps not asked.
    const length = ({ message }: Item) => messageText(message).trim().length;
    const [shortest] = utterances.filter((item) => length(item) > 0).sort((a, b) => length(a) - length(b));
    if (shortest !== undefined) this.#answered.set(this.#modelKey(run), shortest);
    return changes;
  }

  #keep(run: Run, plan: Plan, utterances: readonly Item[]): KeptPlan {
    const keptPlan: KeptPlan = { plan, applied: 0, numbers: utterances.map(({ number }) => number), refusals: [] };
    run.of(this.#name).plan = keptPlan;
    return keptPlan;
  }

  /** @param cause - Why the messages are given up. Missing if another process has decided that. */
  async #carryOut(run: Run, keptPlan: KeptPlan, signal: AbortSignal, cause?: unknown): Promise<void> {
    await this.#applyChanges(run, keptPlan, signal);
    const { plan, numbers, refusals } = keptPlan;
    // If nothing of these messages is stored, none may count as saved.
    const refusal = refusals.length === plan.changes.length ? refusals[0] : undefined;
    const failure = plan.failure ?? (refusal === undefined ? undefined : failureOf(refusal));
    if (failure !== undefined) await this.#writeLetters(run, numbers, failure, signal);
    // A refused change, which is reported as one message, costs one.
    const saved = failure === undefined ? Math.max(0, numbers.length - refusals.length) : 0;
    await this.#markCommitted(run, plan.first, plan.last, saved, signal);
    if (failure === undefined) for (const error of refusals) this.#report(error);
    else for (const _ of numbers) this.#reportGivenUp(refusal ?? cause ?? new Error(failure.error.message));
  }

  async #applyChanges(run: Run, keptPlan: KeptPlan, signal: AbortSignal): Promise<void> {
    const { first, last, changes } = keptPlan.plan;
    const from = { run: run.id, thread: run.thread, numbers: [first, last] as const };
    for (let index = keptPlan.applied; index < changes.length; index++) {
      const refusal = await this.#writer.apply(changes[index] as PlannedChange, from, index, signal);
      if (refusal !== undefined) keptPlan.refusals.push(refusal);
      keptPlan.applied = index + 1;
    }
  }

  #commit(run: Run, last: number, saved: number): void {
    run.of(this.#name).commit(last);
    this.#saved += saved;
    run.removeDone();
    this.#options.onCommit(run);
  }

  async #writeLetters(run: Run, numbers: readonly number[], failure: MessageError, signal: AbortSignal) {
    const { outbox } = this.#options;
    if (outbox === undefined) return;
    for (const { number, message, at } of run.items.filter((item) => numbers.includes(item.number))) {
      const letter = { run: run.id, number, storeName: this.#name, thread: run.thread, message, at };
      await untilAborted(signal, () => outbox.deadLetters.write(letter, failure));
    }
  }

  #reportGivenUp(cause: unknown): void {
    const advice =
      this.#options.outbox === undefined
        ? 'was dropped. See the cause. With an `outbox`, such messages are kept.'
        : 'is now a dead letter. See the cause, then call `memory.retryDeadLetters()` or `memory.deleteDeadLetters()`.';
    const code = isMemoryError(cause) ? cause.code : 'BACKEND';
    this.#report(new MemoryError(code, `A message could not be learned and ${advice}`, { cause }));
  }

  #report(error: unknown, count = 1): void {
    this.#options.report({ storeName: this.#name, operation: 'extract', error, count });
  }

  /**
   * Stores a plan in the outbox before it is carried out, so that every process does the same. Returns whether to carry it
   * out: a process that saves a turn removes it and then its state, so this state is ours only if the turn still exists.
   */
  async #storePlan(run: Run, plan: Plan, version: number, signal: AbortSignal): Promise<boolean> {
    const { outbox } = this.#options;
    const turn = run.turnAt(plan.first);
    if (outbox === undefined || turn === undefined) return true;
    const state = { committed: run.of(this.#name).committed, plan };
    const isWritten = await untilAborted(signal, () => outbox.writeState(run, this.#name, state, version));
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
      await untilAborted(signal, () => outbox.advance(run, this.#name, { committed: last }));
    }
    this.#commit(run, last, saved);
  }
}
