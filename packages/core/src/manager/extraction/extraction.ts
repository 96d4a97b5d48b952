import { isObject, LruMap, quoted } from '@keepsake/internal';
import { expectKnownFields } from '../../common/check-fields.ts';
import { withDeadline } from '../../common/deadline.ts';
import { MemoryError } from '../../common/errors.ts';
import { expect } from '../../common/expect.ts';
import { checkId } from '../../common/text.ts';
import { cloneJson } from '../../json/json.ts';
import { type ContentBlock, checkMessage, type Message } from '../../model/message.ts';
import type { MemoryModel } from '../../model/model.ts';
import type { MemoryEntry } from '../../store/memory-store.ts';
import { consoleLogger, type Logger, warnOnce } from '../options/logger.ts';
import { reasonOf } from '../search/failures.ts';
import type { ReportFailure } from '../search/report.ts';
import { checkExtraction, type Feeding, MissingModel } from './check-extraction.ts';
import type { ExtractionOptions } from './extraction-options.ts';
import type { FlushResult } from './flush-result.ts';
import { LetterBox } from './letter-box.ts';
import { Outbox } from './outbox.ts';
import { OUTBOX_DEADLINE_MS, OutboxWriter } from './outbox-writer.ts';
import type { Item } from './plan.ts';
import { endingsSoFar, watchUntilEnd } from './program-end.ts';
import { type Agent, Run } from './run.ts';
import { StoreSaver } from './store-saver.ts';

/** The number of idle conversations to keep, with what they recalled, before the least recently used is released. */
const MAX_QUIET = 1_000;
/** After how many messages without the end of a turn it is clear that triggers wait for one in vain. */
const ENDLESS_TURN = 100;
/** How long a flush continues with new messages, so that an endless conversation can't keep a process from exiting. */
const FLUSH_MS = 60_000;

/** The buffered messages of a conversation. */
export interface ConversationBuffer {
  /**
   * Records messages in order, without the blocks passed to {@link ConversationBuffer.recalled}.
   *
   * @throws MemoryError `INVALID_ARGUMENT` for an invalid message.
   */
  observe(messages: readonly Message[]): void;
  /**
   * Ends a turn. A `failed` turn does not count for triggers. Resolves at once, or with an outbox once the messages are in
   * it. An unhandled rejection is harmless, because it is also reported.
   */
  endTurn(options?: { readonly failed?: boolean | undefined }): Promise<void>;
  /** Registers a recalled block and its entries, so that they are not learned again. */
  recalled(blockText: string, entries: readonly MemoryEntry[]): void;
}

/** The current run of a conversation and its listeners. */
interface Live {
  readonly run: Run;
  /** How many of its messages are counted as waiting. */
  waiting: number;
  turns: number;
  nextNumber: number;
  readonly onMessages: ((messages: readonly Message[]) => void)[];
  readonly onEndTurn: ((turn: number) => void)[];
}

/** Turns conversations into memories for stores with extraction. */
export class Extraction {
  /** The messages that were given up. */
  readonly letters: LetterBox;
  readonly #options: ExtractionOptions;
  readonly #savers: readonly { readonly saver: StoreSaver; readonly feeding: Feeding }[];
  readonly #outbox: Outbox | undefined;
  readonly #keeper: OutboxWriter | undefined;
  readonly #closed = new AbortController();
  /** By thread, least recently used first. */
  readonly #live = new Map<string, Live>();
  /** Runs of earlier processes. */
  readonly #recovered = new Set<Run>();
  /** The agents of conversations, by thread. */
  readonly #agents = new LruMap<string, Agent>(MAX_QUIET);
  /** The last model that a conversation was given, for runs of earlier processes. */
  #lastModel: MemoryModel | undefined;
  #nextNumber = 0;
  /** The number of waiting messages of all conversations. */
  #waiting = 0;
  #overflow: MemoryError | undefined;
  #isWatched = false;
  /** Why the last attempt to save failed, by store. */
  readonly #failures = new Map<string, unknown>();
  /** The last flush that could not save everything when the program was about to end. */
  #lastFlush: { readonly endings: number; readonly progress: string; readonly result: FlushResult } | undefined;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid extraction settings, or an outbox that can't list records. */
  constructor(options: ExtractionOptions) {
    const { stores, outbox, deadlineMs } = options;
    const report: ReportFailure = (failure) => {
      if (failure.operation === 'extract') this.#failures.set(failure.storeName, failure.error);
      options.report(failure);
    };
    this.#options = { ...options, report };
    expect(
      !outbox || (outbox.writable && outbox.capabilities?.enumerate && outbox.capabilities.consistency === 'strong'),
      'The outbox must be a writable, strongly consistent store that can list its records.',
    );
    const fed = stores.flatMap((store) => {
      const feeding = checkExtraction(store);
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
        this.#failures.delete(store.name);
        const live = this.#live.get(run.thread);
        if (live?.run === run) this.#count(live);
        this.#keeper?.sweep(run);
      };
      const modelOf = ({ agent }: Run) => options.model ?? agent?.model ?? this.#lastModel;
      const saver = new StoreSaver({
        ...this.#options,
        store,
        feeding,
        outbox: this.#outbox,
        closed,
        onCommit,
        modelOf,
      });
      return { saver, feeding };
    });
    this.letters = new LetterBox(
      this.#outbox?.deadLetters,
      this.#savers.map(({ saver }) => saver),
    );
    this.#keeper = this.#outbox && new OutboxWriter(this.#outbox, this.#names, deadlineMs, this.#closed.signal, report);
  }

  /**
   * The conversation with an id. The handle has no state: keep it or get it again each time.
   *
   * @param model - The agent's own model, for extraction where the manager has none. Kept for later calls without one.
   * @throws MemoryError `INVALID_ARGUMENT` for an invalid id, or if a store needs a model and there is none.
   */
  conversation(id: string, model?: MemoryModel): ConversationBuffer {
    checkId(id, 'id of the conversation');
    const agent = this.#agentOf(id);
    if (model !== undefined) this.#setModel(agent, model);
    const needing = this.#savers.find(({ feeding }) => feeding.extractor?.needsModel);
    if (needing && !this.#options.model && !agent.model) throw new MissingModel(needing.saver.name);
    return {
      observe: (messages) => this.#observe(id, messages),
      endTurn: (options) => {
        const ended = this.#endTurn(id, options);
        ended.catch(() => {});
        return ended;
      },
      recalled: (blockText, entries) => {
        if (this.#savers.length > 0) this.#open(id).run.recalled.add(blockText, entries);
      },
    };
  }

  /**
   * Saves all observed messages, regardless of triggers, and waits for that, including messages that arrive within a minute.
   * Failed messages are kept and retried.
   */
  async flush(): Promise<FlushResult> {
    return this.#futileFlush ?? this.#flushAll();
  }

  /**
   * The result of the last flush, if that left messages when the program was about to end, and nothing has changed since.
   * Another try would keep the program alive until the next time it is about to end, and so on.
   */
  get #futileFlush(): FlushResult | undefined {
    const last = this.#lastFlush;
    if (last === undefined || last.endings === endingsSoFar() || this.#options.writes.size > 0) return undefined;
    return last.progress === this.#progress ? last.result : undefined;
  }

  async #flushAll(): Promise<FlushResult> {
    const result = await this.#flush(() => this.#runs);
    const endings = endingsSoFar();
    this.#lastFlush = endings === 0 ? undefined : { endings, progress: this.#progress, result };
    return result;
  }

  /**
   * Saves messages that earlier processes observed but did not save. Without an outbox, does nothing.
   *
   * Live processes can share an outbox: if two save the same messages at once, they are written once, but both may call the
   * model.
   */
  async recover(): Promise<FlushResult> {
    const outbox = this.#outbox;
    if (outbox !== undefined) {
      const leftovers = await withDeadline(OUTBOX_DEADLINE_MS, this.#closed.signal, () => outbox.leftovers());
      const runIds = new Set(this.#runs.map(({ id }) => id));
      for (const { run: id, thread, turns, states } of leftovers) {
        if (runIds.has(id)) continue;
        const run = new Run(thread, this.#names, { id });
        run.turns.push(...turns.sort((a, b) => a.last - b.last));
        // Two turns can contain the same messages, if a write that timed out arrived after all.
        const items = new Map(turns.flatMap(({ items }) => items).map((item) => [item.number, item]));
        run.add([...items.values()].sort((a, b) => a.number - b.number));
        run.durable = run.newest;
        for (const [name, { committed }] of states) run.of(name).commit(committed);
        run.removeDone();
        this.#recovered.add(run);
        this.#keeper?.sweep(run);
      }
    }
    return this.#flush(() => [...this.#recovered]);
  }

  /** Aborts work in progress and waits for its end. Only an outbox keeps messages that were not flushed. */
  async close(): Promise<void> {
    this.#closed.abort(new MemoryError('CLOSED', 'The manager is closed. Create a new one.'));
    await Promise.allSettled([
      ...this.#savers.map(({ saver }) => saver.idle),
      ...this.#runs.map(({ outboxIdle }) => outboxIdle),
    ]);
  }

  #agentOf(thread: string): Agent {
    // A conversation with unsaved messages is kept longer.
    return this.#live.get(thread)?.run.agent ?? this.#agents.getOrCreate(thread, () => ({ model: undefined }));
  }

  #setModel(agent: Agent, model: MemoryModel): void {
    agent.model = model;
    const isFirst = this.#lastModel === undefined && this.#options.model === undefined;
    this.#lastModel = model;
    if (!isFirst) return;
    // These may have waited for a model.
    for (const run of this.#recovered) for (const { saver } of this.#savers) saver.request(run);
  }

  /** Whether everything observed is saved, and its outbox is idle. */
  get isQuiet(): boolean {
    return this.#runs.every(({ isQuiet }) => isQuiet);
  }

  get #runs(): Run[] {
    return [...this.#recovered, ...Array.from(this.#live.values(), ({ run }) => run)];
  }

  get #names(): string[] {
    return this.#savers.map(({ saver }) => saver.name);
  }

  /** The number of messages that only this process has. */
  get unsaved(): number {
    const isLost = (run: Run) => run.items.filter(({ number }) => number > run.durable).length;
    return this.#runs.reduce((sum, run) => sum + isLost(run), 0);
  }

  get saveFailure(): string | undefined {
    const [failure] = this.#failures.values();
    return failure === undefined ? undefined : reasonOf(failure);
  }

  get logger(): Logger {
    return this.#options.logger ?? consoleLogger;
  }

  /** Differs after messages were observed or saved. */
  get #progress(): string {
    const saved = this.#savers.map(({ saver }) => saver.saved);
    const waiting = this.#runs.reduce((sum, { items }) => sum + items.length, 0);
    return [this.#nextNumber, waiting, ...saved].join();
  }

  /** Saves runs, including new messages, until there are no more. */
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
    if (copies.length > 0 && this.#savers.length === 0) this.#warnOfNoExtraction();
    if (this.#savers.length === 0 || copies.length === 0) return;
    const live = this.#open(id);
    const { run } = live;
    const { recallTools } = this.#options;
    const at = new Date().toISOString();
    const items = copies.flatMap((copy): Item[] => {
      const number = live.nextNumber++;
      run.recalled.addResults(copy, recallTools);
      const message = run.recalled.strip(copy);
      return message === undefined ? [] : [{ number, message, at: copy.createdAt ?? at }];
    });
    this.#nextNumber = Math.max(this.#nextNumber, live.nextNumber);
    run.add(items);
    if (!this.#isWatched) watchUntilEnd(this);
    this.#isWatched = true;
    this.#dropOver(run);
    this.#count(live);
    if (items.length > 0) this.#keeper?.keepSoon(run);
    this.#saveEarly();
    this.#warnOfEndlessTurn(live);
    for (const listener of live.onMessages) this.#tell(() => listener(items.map(({ message }) => message)));
  }

  /** A store that says `extraction: false` is meant to learn nothing; one that says nothing may have been forgotten. */
  #warnOfNoExtraction(): void {
    const { stores } = this.#options;
    const forgotten = stores.find(({ writable, extraction }) => writable && extraction === undefined);
    if (forgotten === undefined || stores.some(({ extraction }) => extraction === false)) return;
    warnOnce(
      this.logger,
      `Nothing is learned from conversations, because no store has \`extraction\`. Give the store ${quoted(forgotten.name)} \`extraction: true\`, or \`extraction: false\` if that is meant.`,
    );
  }

  /** Most triggers wait for the ends of turns. */
  #warnOfEndlessTurn(live: Live): void {
    if (live.turns > 0 || live.onMessages.length > 0 || live.run.items.length < ENDLESS_TURN) return;
    warnOnce(
      this.logger,
      `A conversation has ${ENDLESS_TURN} messages and no ended turn, so no trigger has fired. Call \`endTurn()\` after each answer, or let \`turn()\` do it.`,
    );
  }

  #dropOver(run: Run): void {
    const { maxBuffered } = this.#options;
    const dropped = run.dropOver(maxBuffered);
    if (dropped.length === 0) return;
    // A shared function, because one per turn would add up while a store hangs.
    this.#overflow ??= new MemoryError(
      'TOO_LARGE',
      `More than ${maxBuffered} messages of a conversation were waiting, so the oldest were dropped. Extract more often, or raise extraction.maxBuffered.`,
    );
    const error = this.#overflow;
    for (const storeName of this.#names) {
      const count = dropped.filter(({ number }) => number > run.of(storeName).committed).length;
      if (count > 0) this.#options.report({ storeName, operation: 'overflow', error, count });
    }
  }

  #count(live: Live): void {
    this.#waiting += live.run.items.length - live.waiting;
    live.waiting = live.run.items.length;
  }

  /**
   * If too many messages wait in total, saves the least recently used conversations, which may never resume. Checks only a
   * few per call and moves them to the end.
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

  async #endTurn(id: string, options: { readonly failed?: boolean | undefined } = {}): Promise<void> {
    const { failed } = expectKnownFields(options, { failed: true });
    this.#closed.signal.throwIfAborted();
    if (this.#savers.length === 0) return;
    const live = this.#open(id);
    const end = () => {
      if (failed) return;
      live.turns++;
      for (const listener of live.onEndTurn) this.#tell(() => listener(live.turns));
    };
    if (this.#keeper === undefined) return end();
    // Only then, because the changes for a turn are stored beside it.
    const kept = this.#keeper.keep(live.run);
    kept.then(end, end);
    await kept;
  }

  #open(id: string): Live {
    const open = this.#live.get(id);
    // Moves the most recently used to the end.
    this.#live.delete(id);
    const live = open ?? this.#start(id);
    this.#live.set(id, live);
    if (open === undefined) this.#letGo();
    return live;
  }

  #start(id: string): Live {
    const live: Live = {
      run: new Run(id, this.#names, { agent: this.#agentOf(id) }),
      waiting: 0,
      turns: 0,
      // Message numbers continue those of earlier runs: here, whatever the clock does, and in other processes unless this clock
      // is behind theirs. No kind of store tells cheaply which number a conversation had last.
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

  /** Releases the least recently used idle conversations. Checks only a few per call and moves busy ones to the end. */
  #letGo(): void {
    let looks = 0;
    for (const [id, live] of this.#live) {
      if (this.#live.size <= MAX_QUIET || ++looks > 10) return;
      this.#live.delete(id);
      if (!live.run.isQuiet) this.#live.set(id, live);
    }
  }

  /** Calls foreign code, whose failure must not affect the conversation. */
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

/** A deep copy of a message. Leaves out blocks that are not JSON, such as bytes. */
function copyMessage(message: Message, index: number): Message {
  const { content, ...others } = checkMessage(message, `Message ${index} that was observed`);
  return { ...others, content: typeof content === 'string' ? content : content.flatMap(copyOfBlock) };
}

function copyOfBlock(block: ContentBlock): ContentBlock[] {
  try {
    return isObject(block) ? [cloneJson(block, 'block')] : [];
  } catch {
    return [];
  }
}
