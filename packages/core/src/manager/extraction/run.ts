import { uuidv7 } from '../../common/uuid.ts';
import type { Message } from '../../model/message.ts';
import { Recalled } from '../injection/recalled.ts';
import type { MemoryChange } from './extraction-config.ts';

/** A message that some store has not saved yet. */
export interface Item {
  /** Its number in the run. Increasing and unique. */
  readonly number: number;
  readonly message: Message;
  /** When it was observed: ISO 8601, UTC. */
  readonly at: string;
}

/** The changes of an extractor for the items up to `last`, until all are applied. */
export interface Plan {
  readonly first: number;
  readonly last: number;
  readonly changes: readonly PlannedChange[];
}

/** A plan in progress. */
export interface KeptPlan {
  readonly plan: Plan;
  /** How many of its changes are applied. */
  applied: number;
  /** The number of its messages. */
  readonly count: number;
}

/** A change; `was` is the content of a memory that it deletes. */
export type PlannedChange =
  | Exclude<MemoryChange, { kind: 'delete' }>
  | (Extract<MemoryChange, { kind: 'delete' }> & { readonly was: string });

/** Items stored together in the outbox. */
export interface StoredTurn {
  /** The prefix of its record ids. */
  readonly id: string;
  readonly first: number;
  readonly last: number;
  /** The number of its records. */
  readonly parts: number;
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
  readonly recalled = new Recalled();
  /** By store: the changes to apply. */
  readonly plans = new Map<string, KeptPlan>();
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
  readonly #stores: readonly string[];
  readonly #inFlight = new Map<string, number>();
  readonly #committed = new Map<string, number>();

  constructor(thread: string, stores: readonly string[], id = uuidv7()) {
    this.id = id;
    this.thread = thread;
    this.#stores = stores;
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

  /** The number up to which a store has committed. */
  committed(store: string): number {
    return this.#committed.get(store) ?? -1;
  }

  /** The items that a store has not saved, up to a number. */
  pending(store: string, limit = Number.POSITIVE_INFINITY): readonly Item[] {
    const committed = this.committed(store);
    if (committed < 0 && limit === Number.POSITIVE_INFINITY) return this.items;
    return this.items.filter(({ number }) => number > committed && number <= limit);
  }

  /** Marks the items up to a number as in progress for a store; -1 for none. */
  setInFlight(store: string, last: number): void {
    this.#inFlight.set(store, last);
  }

  commit(store: string, last: number): void {
    this.#committed.set(store, Math.max(last, this.committed(store)));
    const done = this.doneUpTo();
    const kept = this.items.findIndex(({ number }) => number > done);
    if (kept !== 0) this.items = kept < 0 ? [] : this.items.slice(kept);
  }

  /** The number up to which every store has committed. */
  doneUpTo(): number {
    return Math.min(...this.#stores.map((store) => this.committed(store)));
  }

  /** Drops the oldest items that no store is working on, until there are at most `max`. Returns them. */
  dropOver(max: number): readonly Item[] {
    const count = this.items.length - max;
    if (count <= 0) return [];
    const inFlight = Math.max(-1, ...this.#inFlight.values());
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
