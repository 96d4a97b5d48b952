import { uuidv7 } from '../../common/uuid.ts';
import type { MemoryModel } from '../../model/model.ts';
import { Recalled } from '../injection/recalled.ts';
import type { Item, KeptPlan } from './plan.ts';

/** The agent of a conversation, as far as it is known. */
export interface Agent {
  model: MemoryModel | undefined;
}

/** Items stored together in the outbox. */
export interface StoredTurn {
  /** The prefix of its record ids. */
  readonly id: string;
  readonly first: number;
  readonly last: number;
  /** The number of its records. */
  readonly parts: number;
}

/** The progress of one store with a run. */
export class Progress {
  /** The number up to which all messages are saved or given up. */
  committed = -1;
  /** The number up to which messages are being saved; -1 for none. */
  inFlight = -1;
  /** The plan to carry out. */
  plan: KeptPlan | undefined;

  /** All messages up to a number are saved or given up. */
  commit(last: number): void {
    this.committed = Math.max(this.committed, last);
    this.plan = undefined;
  }
}

/** Up to this many shifts of an array cost less than one splice. */
const FEW = 16;

/**
 * The observed messages of a conversation, from its opening until its release or the end of the process, with the progress
 * of each store. An item is removed once every store has committed it.
 */
export class Run {
  readonly id: string;
  readonly thread: string;
  /** Missing if another process observed the messages. */
  readonly agent: Agent | undefined;
  readonly recalled = new Recalled();
  /** The turns in the outbox, oldest first. */
  readonly turns: StoredTurn[] = [];
  /** The number up to which items are or were in the outbox. */
  durable = -1;
  /** The last pending write and the last pending removal in the outbox. */
  kept: Promise<unknown> = Promise.resolve();
  swept: Promise<unknown> = Promise.resolve();
  items: Item[] = [];
  /** The highest number that this process knows. */
  newest = -1;
  readonly #progress: ReadonlyMap<string, Progress>;

  constructor(
    thread: string,
    stores: readonly string[],
    { id = uuidv7(), agent }: { id?: string; agent?: Agent } = {},
  ) {
    this.id = id;
    this.agent = agent;
    this.thread = thread;
    this.#progress = new Map(stores.map((store) => [store, new Progress()]));
  }

  /** Resolves when the outbox is idle. */
  get outboxIdle(): Promise<unknown> {
    return Promise.all([this.kept, this.swept]);
  }

  get isQuiet(): boolean {
    return this.items.length === 0 && this.turns.length === 0;
  }

  add(items: readonly Item[]): void {
    for (const item of items) this.items.push(item);
    this.newest = items.at(-1)?.number ?? this.newest;
  }

  /** The turn in the outbox with a number. */
  turnAt(number: number): StoredTurn | undefined {
    return this.turns.find(({ first, last }) => first <= number && number <= last);
  }

  /** The progress of a store. */
  of(store: string): Progress {
    return this.#progress.get(store) as Progress;
  }

  /** The items that a store has not saved, up to a number. */
  pending(store: string, limit = Infinity): readonly Item[] {
    const { committed } = this.of(store);
    if (committed < 0 && limit === Infinity) return this.items;
    return this.items.filter(({ number }) => committed < number && number <= limit);
  }

  /** The number up to which every store has saved the items. */
  get done(): number {
    return Math.min(...Array.from(this.#progress.values(), ({ committed }) => committed));
  }

  /** Removes the items that every store has saved. */
  removeDone(): void {
    const { done } = this;
    const open = this.items.findIndex(({ number }) => number > done);
    if (open !== 0) this.items = open < 0 ? [] : this.items.slice(open);
  }

  /** Drops the oldest items that no store is working on, until there are at most `max`. Returns them. */
  dropOver(max: number): readonly Item[] {
    const count = this.items.length - max;
    if (count <= 0) return [];
    const inFlight = Math.max(-1, ...Array.from(this.#progress.values(), (progress) => progress.inFlight));
    // From the front, because items in flight are a small part.
    const free = this.items.findIndex(({ number }) => number > inFlight);
    const from = Math.min(free === -1 ? this.items.length : free, this.items.length - count);
    const dropped = this.items.slice(from, from + count);
    // Moves the few before them: removing from the front is cheap, from elsewhere it moves everything behind.
    for (let index = from - 1; index >= 0; index--) this.items[index + count] = this.items[index] as Item;
    if (count > FEW) this.items.splice(0, count);
    else for (const _ of dropped) this.items.shift();
    return dropped;
  }
}
