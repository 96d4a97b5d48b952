import { untilAborted } from '@keepsake/internal';
import { withDeadline } from '../../common/deadline.ts';
import { isMemoryError } from '../../common/errors.ts';
import { messageText } from '../../model/message.ts';
import { BatchSaver, type SaverOptions } from './batch-saver.ts';
import { MissingModel } from './check-extraction.ts';
import type { DeadLetters, StoredLetter } from './dead-letters.ts';
import { MessageFailure } from './message-failure.ts';
import { PROMPT_CHARACTERS } from './message-parts.ts';
import type { Item } from './plan.ts';
import type { Run } from './run.ts';
import { MAX_TIMER_MS } from './triggers.ts';

/** After this many failures in a row, only every third request reaches a store. */
const PATIENCE = 10;
const PROBE_EVERY = 3;
const BATCH_MESSAGES = 100;

/**
 * How many saves of other runs a failed one lets pass before it is tried again: twice as many after each failure. There is no
 * timer: without another save, `flush` tries it again. The SDKs of models repeat requests themselves.
 */
interface Pauses {
  readonly all: number;
  left: number;
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
      // Failed runs come last, so that one that always times out does not starve the others.
      for (const run of [...[...limits.keys()].filter((run) => !this.#resting.has(run)), ...this.#resting.keys()]) {
        const limit = limits.get(run);
        // If one hangs, the others would hang as well.
        if (limit !== undefined && !(await this.#saveOrNote(run, limit)) && this.#hangs) break;
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
        } catch (failure) {
          if (closed.aborted) return;
          await deadLetters.fail(letter.id, failure instanceof MessageFailure ? failure.error : failure);
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

  async #saveOrNote(run: Run, limit: number | undefined): Promise<boolean> {
    const isSaved = await this.#save(run, limit);
    const before = this.#resting.get(run);
    this.#resting.delete(run);
    if (isSaved) return true;
    const all = before === undefined ? 0 : 2 * before.all || 1;
    this.#resting.set(run, { all, left: all });
    return false;
  }

  /** Saves a run up to a number. An outage ends it, and what is not saved waits. Returns whether it succeeded. Never throws. */
  async #save(run: Run, limit = -1): Promise<boolean> {
    const progress = run.of(this.name);
    let batch: readonly Item[] = [];
    try {
      for (;;) {
        batch = firstBatch(run.pending(this.name, limit));
        const last = batch.at(-1);
        if (last === undefined) return true;
        progress.inFlight = last.number;
        await this.#learn(run, batch);
      }
    } catch (error) {
      if (this.#options.closed.aborted) return false;
      const isMissing = error instanceof MissingModel;
      const count = batch.filter(({ number }) => number > progress.committed).length;
      if (!isMissing || !this.#lacksModel) {
        this.#options.report({ storeName: this.name, operation: 'extract', error, count });
      }
      if (isMissing) {
        this.#lacksModel = true;
      } else {
        this.#failures++;
        this.#hangs = isMemoryError(error, 'TIMEOUT');
      }
      return false;
    } finally {
      progress.inFlight = -1;
    }
  }

  /**
   * The ladder of failure. Messages are tried together. If one of them may be the cause of a failure, each is tried alone, in
   * order, until one is given up, because it has failed too often. The caller tries the others together again.
   *
   * Rejects if a failure may be an outage. That counts as no try: what is not saved waits for the next save.
   *
   * @returns whether a message was given up.
   */
  async #learn(run: Run, items: readonly Item[], tries = 1): Promise<boolean> {
    const [item, ...others] = items as [Item, ...Item[]];
    // Another process may have saved it.
    if (item.number <= run.of(this.name).committed) return false;
    try {
      await this.#within((signal) => this.#batches.save(run, items, signal), maxPrompts(items));
      this.#succeeded();
      return false;
    } catch (failure) {
      if (!(failure instanceof MessageFailure)) throw failure;
      if (others.length > 0) {
        for (const one of items) if (await this.#learn(run, [one])) return true;
        return false;
      }
      if (await this.#isOutage(run, item, failure)) throw failure.error;
      if (tries < failure.maxTries) return this.#learn(run, items, tries + 1);
      await this.#within((signal) => this.#batches.save(run, items, signal, failure.error));
      return true;
    }
  }

  /** Whether the model answers no other message either. */
  async #isOutage(run: Run, item: Item, { isCertain }: MessageFailure): Promise<boolean> {
    const newest = run.items.at(-1);
    const other = isCertain || newest === item ? undefined : newest;
    let isAnswering: boolean | undefined;
    await this.#within(async (signal) => {
      isAnswering = await this.#batches.isAnswering(run, other, signal);
    });
    return !(isAnswering ?? isCertain);
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
}

/** The first items, as many as fit into a prompt, but at least one. */
function firstBatch(items: readonly Item[]): readonly Item[] {
  let characters = 0;
  let count = 0;
  for (const { message } of items) {
    characters += messageText(message).length;
    if (count === BATCH_MESSAGES || (count > 0 && characters > PROMPT_CHARACTERS)) break;
    count++;
  }
  return items.slice(0, count);
}

/** The number of prompts that the items need, at most. Only a long message needs several, and each is more than half full. */
function maxPrompts(items: readonly Pick<Item, 'message'>[]): number {
  const characters = items.reduce((sum, { message }) => sum + messageText(message).length, 0);
  return characters <= PROMPT_CHARACTERS ? 1 : Math.ceil((2 * characters) / PROMPT_CHARACTERS);
}
