import { MemoryError } from '../errors.ts';
import { expect } from '../expect.ts';
import type { MemoryEntry, MemoryStore } from '../memory-store.ts';
import type { Message } from '../message.ts';
import type { MemoryModel } from '../model.ts';
import type { RecordStore } from '../record-store.ts';
import { checkId, quoted } from '../text.ts';
import { checkExtraction, type Feeding } from './check-extraction.ts';
import { copyMessage } from './copy-message.ts';
import { Keeper, OUTBOX_DEADLINE_MS } from './keeper.ts';
import { Outbox } from './outbox.ts';
import type { ReportFailure } from './report.ts';
import { type Item, Run } from './run.ts';
import { StoreSaver } from './store-saver.ts';
import type { Telemetry } from './telemetry.ts';
import { withDeadline } from './within.ts';

/** How many quiet conversations are remembered, with what they were reminded of, before the longest unused is let go. */
const MAX_QUIET = 1_000;
/** How long a flush goes on with what comes while it waits: who never stops talking must not keep a process from its end. */
const FLUSH_MS = 60_000;

export interface ExtractionOptions {
  /** Those with extraction. */
  readonly stores: readonly MemoryStore[];
  readonly model?: MemoryModel | undefined;
  /** How many messages of a conversation may wait; twice as many of all, before those of the longest unused are saved. */
  readonly maxBuffered: number;
  readonly outbox?: RecordStore | undefined;
  /** Connects a store before its first use. */
  readonly initialize: (store: MemoryStore) => Promise<void>;
  readonly span: Telemetry;
  /** Never throws. */
  readonly report: ReportFailure;
  /** The name of the manager's own tool that searches. */
  readonly recallTools: ReadonlySet<string>;
  /** What tools write behind a conversation. */
  readonly writes: ReadonlySet<Promise<unknown>>;
  /** How long a search of what is known may take, and the end of a turn. */
  readonly deadlineMs: number;
}

/** How many messages a store was given, and how many still wait since it failed; of each store. */
export type FlushResult = Record<string, { readonly saved: number; readonly failed: number }>;

/** A conversation, for those who take part in it. */
export interface ConversationBuffer {
  /**
   * Takes what was said, in its order. Without the blocks that {@link ConversationBuffer.recalled} told of.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for what is no message.
   */
  observe(messages: readonly Message[]): void;
  /**
   * Ends a turn; one that `failed` counts for no trigger. Resolves at once, or where there is an outbox as soon as what
   * was observed is in it. A rejection that nobody waits for does no harm: it was reported as well.
   */
  endTurn(options?: { readonly failed?: boolean | undefined }): Promise<void>;
  /** Says what a model was reminded of, with the text of the whole block, so that it is not learnt anew. */
  recalled(blockText: string, entries: readonly MemoryEntry[]): void;
}

/** A conversation as it is now, and those who listen to it. */
interface Live {
  readonly run: Run;
  /** How many messages of it are counted among those that wait. */
  waiting: number;
  turns: number;
  nextNumber: number;
  readonly onMessages: ((messages: readonly Message[]) => void)[];
  readonly onEndTurn: ((turn: number) => void)[];
}

/** Turns conversations into memories of the stores that want it. */
export class Extraction {
  readonly #options: ExtractionOptions;
  readonly #savers: readonly { readonly saver: StoreSaver; readonly feeding: Feeding }[];
  readonly #outbox: Outbox | undefined;
  readonly #keeper: Keeper | undefined;
  readonly #closed = new AbortController();
  /** By thread, the longest unused first. */
  readonly #live = new Map<string, Live>();
  /** Runs of processes that have ended. */
  readonly #recovered = new Set<Run>();
  #nextNumber = 0;
  /** How many messages wait, of all conversations. */
  #waiting = 0;
  #overflow: MemoryError | undefined;

  /** @throws MemoryError `INVALID_ARGUMENT` for extraction that could never work, or an outbox that can't be listed. */
  constructor(options: ExtractionOptions) {
    const { stores, model, outbox, deadlineMs, report } = options;
    this.#options = options;
    expect(
      !outbox || (outbox.writable && outbox.capabilities?.enumerate && outbox.capabilities.consistency === 'strong'),
      'The outbox is to be a store that is writable and strongly consistent, and can list its records.',
    );
    const fed = stores.flatMap((store) => {
      const feeding = checkExtraction(store, { model });
      return feeding === undefined ? [] : [{ store, feeding }];
    });
    this.#outbox =
      outbox &&
      new Outbox(
        outbox,
        fed.map(({ store }) => store),
      );
    this.#savers = fed.map(({ store, feeding }) => {
      const closed = this.#closed.signal;
      const onCommit = (run: Run) => {
        const live = this.#live.get(run.thread);
        if (live?.run === run) this.#count(live);
        this.#keeper?.sweep(run);
      };
      return { saver: new StoreSaver({ ...options, store, feeding, outbox: this.#outbox, closed, onCommit }), feeding };
    });
    this.#keeper = this.#outbox && new Keeper(this.#outbox, this.#names, deadlineMs, this.#closed.signal, report);
  }

  /** The conversation of an id. Holds nothing by itself: it may be kept, or asked for each time. */
  conversation(id: string): ConversationBuffer {
    checkId(id, 'id of the conversation');
    return {
      observe: (messages) => this.#observe(id, messages),
      endTurn: (options) => {
        const ended = this.#endTurn(id, options?.failed === true);
        ended.catch(() => {});
        return ended;
      },
      recalled: (blockText, entries) => {
        if (this.#savers.length > 0) this.#open(id).run.recalled.add(blockText, entries);
      },
    };
  }

  /**
   * Saves all that was observed, whatever the triggers say, and waits until that is over; for what comes meanwhile too,
   * up to a minute. What failed is kept, and is tried again at the next occasion.
   *
   * @throws MemoryError `BACKEND` with `throwOnFailure`, where a store could not save everything.
   */
  async flush(options?: { readonly throwOnFailure?: boolean | undefined }): Promise<FlushResult> {
    const result = await this.#flush(() => this.#runs);
    const failed = Object.entries(result).filter(([, one]) => one.failed > 0);
    if (options?.throwOnFailure !== true || failed.length === 0) return result;
    const list = failed.map(([name, one]) => `${quoted(name)} (${one.failed})`).join(', ');
    throw new MemoryError(
      'BACKEND',
      `Messages are not saved yet in these stores: ${list}. Flush again, or see what onStoreError was told.`,
    );
  }

  /**
   * Saves what processes before this one observed and did not save. Without an outbox there is nothing.
   *
   * Processes that are alive may share an outbox: what two of them save at once is written once, though both may have
   * asked the model.
   */
  async recover(): Promise<FlushResult> {
    const outbox = this.#outbox;
    if (outbox !== undefined) {
      const leftovers = await withDeadline(OUTBOX_DEADLINE_MS, this.#closed.signal, () => outbox.leftovers());
      const known = new Set(this.#runs.map(({ id }) => id));
      for (const { run: id, thread, turns, committed } of leftovers) {
        if (known.has(id)) continue;
        const run = new Run(thread, this.#names, id);
        run.turns.push(...turns.sort((a, b) => a.last - b.last));
        // The same messages may lie in two turns, where one was given up and came all the same.
        const items = new Map(turns.flatMap(({ items }) => items).map((item) => [item.number, item]));
        run.add([...items.values()].sort((a, b) => a.number - b.number));
        run.durable = run.newest;
        for (const name of this.#names) run.commit(name, committed.get(name) ?? -1);
        this.#recovered.add(run);
        this.#keeper?.sweep(run);
      }
    }
    return this.#flush(() => [...this.#recovered]);
  }

  /** Gives up what is under way, and waits until that has ended. What was not flushed is kept by the outbox alone. */
  async close(): Promise<void> {
    this.#closed.abort(new MemoryError('CLOSED', 'The manager was closed. Make a new one.'));
    await Promise.allSettled([
      ...this.#savers.map(({ saver }) => saver.idle),
      ...this.#runs.map(({ outboxIdle }) => outboxIdle),
    ]);
  }

  get #runs(): Run[] {
    return [...this.#recovered, ...Array.from(this.#live.values(), ({ run }) => run)];
  }

  get #names(): string[] {
    return this.#savers.map(({ saver }) => saver.name);
  }

  /** Saves runs, and what comes meanwhile, until nothing new is there. */
  async #flush(findRuns: () => readonly Run[]): Promise<FlushResult> {
    const { writes } = this.#options;
    const before = this.#savers.map(({ saver }) => saver.saved);
    const startedAt = performance.now();
    for (;;) {
      const runs = findRuns();
      await idle(runs);
      const limits = new Map(runs.map((run) => [run, run.newest]));
      const failed = await Promise.all(this.#savers.map(({ saver }) => saver.flush(limits)));
      await Promise.all([idle(runs), ...writes]);
      for (const run of this.#recovered) if (run.isQuiet) this.#recovered.delete(run);
      const isNew = (run: Run) => run.items.length > 0 && run.newest !== limits.get(run);
      const isOver = writes.size === 0 && !findRuns().some(isNew);
      if (!isOver && performance.now() - startedAt < FLUSH_MS) continue;
      const results = this.#savers.map(({ saver }, index) => [
        saver.name,
        { saved: saver.saved - (before[index] as number), failed: failed[index] as number },
      ]);
      return Object.fromEntries(results);
    }
  }

  #observe(id: string, messages: readonly Message[]): void {
    this.#closed.signal.throwIfAborted();
    const copies = messages.map(copyMessage);
    if (this.#savers.length === 0 || copies.length === 0) return;
    const live = this.#open(id);
    const { run } = live;
    const { recallTools } = this.#options;
    const at = new Date().toISOString();
    const items = copies.flatMap((copy): Item[] => {
      const number = live.nextNumber++;
      run.recalled.addResults(copy, recallTools);
      const message = run.recalled.strip(copy);
      return message === undefined ? [] : [{ number, message, at }];
    });
    this.#nextNumber = Math.max(this.#nextNumber, live.nextNumber);
    run.add(items);
    this.#dropOver(run);
    this.#count(live);
    this.#saveEarly();
    for (const listener of live.onMessages) this.#tell(() => listener(items.map(({ message }) => message)));
  }

  #dropOver(run: Run): void {
    const { maxBuffered } = this.#options;
    const dropped = run.dropOver(maxBuffered);
    if (dropped.length === 0) return;
    // One for all: it is made so often as there are turns while a store hangs.
    this.#overflow ??= new MemoryError(
      'TOO_LARGE',
      `Over ${maxBuffered} messages of a conversation waited: the oldest were dropped. Extract more often, or raise maxBuffered.`,
    );
    const error = this.#overflow;
    for (const storeName of this.#names) {
      const count = dropped.filter(({ number }) => number > run.committed(storeName)).length;
      if (count > 0) this.#options.report({ storeName, operation: 'overflow', error, count });
    }
  }

  #count(live: Live): void {
    this.#waiting += live.run.items.length - live.waiting;
    live.waiting = live.run.items.length;
  }

  /**
   * Where too many messages wait in all, though of no conversation too many, asks for those of the longest unused: nobody
   * may come back to them. Looks at a few alone, and puts them at the end.
   */
  #saveEarly(): void {
    let over = this.#waiting - 2 * this.#options.maxBuffered;
    let looks = 0;
    for (const [id, live] of this.#live) {
      if (over <= 0 || ++looks > 10) return;
      over -= live.waiting;
      this.#live.delete(id);
      this.#live.set(id, live);
      for (const { saver } of this.#savers) saver.request(live.run);
    }
  }

  async #endTurn(id: string, failed: boolean): Promise<void> {
    this.#closed.signal.throwIfAborted();
    if (this.#savers.length === 0) return;
    const live = this.#open(id);
    const end = () => {
      if (failed) return;
      live.turns++;
      for (const listener of live.onEndTurn) this.#tell(() => listener(live.turns));
    };
    if (this.#keeper === undefined) return end();
    // Only then: the changes that a model gives for a turn are kept beside it.
    const kept = this.#keeper.keep(live.run);
    kept.then(end, end);
    await kept;
  }

  #open(id: string): Live {
    const known = this.#live.get(id);
    // Whoever was used last goes to the end.
    this.#live.delete(id);
    const live = known ?? this.#start(id);
    this.#live.set(id, live);
    if (known === undefined) this.#letGo();
    return live;
  }

  #start(id: string): Live {
    const live: Live = {
      run: new Run(id, this.#names),
      waiting: 0,
      turns: 0,
      // Numbers of a run count on from those of the runs before, in other processes too: a run begins at the time of
      // day, which no run before it has counted up to. Within a run, time plays no part.
      nextNumber: Math.max(Date.now(), this.#nextNumber),
      onMessages: [],
      onEndTurn: [],
    };
    const conversation = {
      id,
      onMessages: (listener: (messages: readonly Message[]) => void) => void live.onMessages.push(listener),
      onEndTurn: (listener: (turn: number) => void) => void live.onEndTurn.push(listener),
    };
    for (const { saver, feeding } of this.#savers) {
      const fire = () => {
        const current = this.#live.get(id);
        if (current !== undefined && !this.#closed.signal.aborted) saver.request(current.run);
      };
      for (const trigger of feeding.triggers) {
        this.#tell(() => trigger.attach({ conversation, fire }), saver.name);
      }
    }
    return live;
  }

  /** Lets go of the longest unused that are quiet. Looks at a few alone, and puts those that are not at the end. */
  #letGo(): void {
    let looks = 0;
    for (const [id, live] of this.#live) {
      if (this.#live.size <= MAX_QUIET || ++looks > 10) return;
      this.#live.delete(id);
      if (!live.run.isQuiet) this.#live.set(id, live);
    }
  }

  /** Calls what is not ours: its failure is none of the conversation. */
  #tell(call: () => void, storeName = this.#names.join(', ')): void {
    try {
      call();
    } catch (error) {
      this.#options.report({ storeName, operation: 'extract', error });
    }
  }
}

async function idle(runs: readonly Run[]): Promise<void> {
  await Promise.all(runs.map(({ outboxIdle }) => outboxIdle));
}
