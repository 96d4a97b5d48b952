import type { Message } from '../message.ts';
import { uuidv7 } from '../uuid.ts';
import type { MemoryChange } from './extraction-config.ts';
import { Recalled } from './recalled.ts';

/** A message that some store has yet to save. */
export interface Item {
  /** Where it stands in its run. Numbers rise, and none comes twice. */
  readonly number: number;
  readonly message: Message;
  /** When it was observed: ISO 8601, UTC. */
  readonly at: string;
}

/** The changes that an extractor gave for the items up to `last`, until all are applied. */
export interface Plan {
  readonly first: number;
  readonly last: number;
  readonly changes: readonly PlannedChange[];
}

/** A plan on its way. */
export interface KeptPlan {
  readonly plan: Plan;
  /** How many of its changes are made. */
  applied: number;
  /** How many messages it was made of. */
  readonly count: number;
}

/** A change; `was` is what a memory said that it deletes. */
export type PlannedChange =
  | Exclude<MemoryChange, { kind: 'delete' }>
  | (Extract<MemoryChange, { kind: 'delete' }> & { readonly was: string });

/** Items that lie in the outbox together. */
export interface StoredTurn {
  /** What the ids of its records begin with. */
  readonly id: string;
  readonly first: number;
  readonly last: number;
  /** How many records it takes. */
  readonly parts: number;
}

/** So many shifts of an array cost less than one splice. */
const FEW = 16;

/**
 * What is observed of a conversation from when it is opened until it is let go, or until the process ends: the messages
 * that wait, and how far each store is. An item leaves when every store has committed it.
 */
export class Run {
  readonly id: string;
  readonly thread: string;
  readonly recalled = new Recalled();
  /** By store: what waits to be applied. */
  readonly plans = new Map<string, KeptPlan>();
  /** What lies in the outbox, oldest first. */
  readonly turns: StoredTurn[] = [];
  /** Up to where items lie, or lay, in the outbox. */
  durable = -1;
  /** The end of what was last asked of the outbox: to keep something, and to let go of something. */
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

  /** Resolves when what was asked of the outbox is over. */
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

  /** The turn in the outbox that holds a number. */
  turnAt(number: number): StoredTurn | undefined {
    return this.turns.find(({ first, last }) => first <= number && number <= last);
  }

  /** The number up to which a store has committed. */
  committed(store: string): number {
    return this.#committed.get(store) ?? -1;
  }

  /** What a store has yet to save, up to a number. */
  pending(store: string, limit = Number.POSITIVE_INFINITY): readonly Item[] {
    const committed = this.committed(store);
    if (committed < 0 && limit === Number.POSITIVE_INFINITY) return this.items;
    return this.items.filter(({ number }) => number > committed && number <= limit);
  }

  /** Says that a store is at work on the items up to a number; -1 where it no longer is. */
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

  /** Drops the oldest items that no store is at work on, until there are no more than `max`. Gives those dropped. */
  dropOver(max: number): readonly Item[] {
    const count = this.items.length - max;
    if (count <= 0) return [];
    const inFlight = Math.max(-1, ...this.#inFlight.values());
    // From the front: what is in flight is a small part of what waits.
    const free = this.items.findIndex(({ number }) => number > inFlight);
    const from = Math.min(free === -1 ? this.items.length : free, this.items.length - count);
    const dropped = this.items.slice(from, from + count);
    // The few before them move up: a few are taken off the front at no cost, from anywhere else all that follows moves.
    for (let index = from - 1; index >= 0; index--) this.items[index + count] = this.items[index] as Item;
    if (count > FEW) this.items.splice(0, count);
    else for (const _ of dropped) this.items.shift();
    return dropped;
  }
}
