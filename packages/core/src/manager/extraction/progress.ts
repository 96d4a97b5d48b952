import { firstBatch } from './first-batch.ts';
import type { Item, KeptPlan, PlannedChange } from './plan.ts';

/** A message that failed alone, and is tried again after the others. */
export interface Aside {
  readonly number: number;
  /** How many times it failed. */
  readonly tries: number;
  /** Whether it would fail again for certain. */
  readonly isCertain: boolean;
  /** What to change for it, once an extractor said so. */
  readonly changes?: readonly PlannedChange[] | undefined;
}

/** The progress of one store with a run. */
export class Progress {
  /** The number up to which all messages are saved or set aside. */
  committed = -1;
  /** The number up to which messages are being saved; -1 for none. */
  inFlight = -1;
  /** The changes to apply. */
  plan: KeptPlan | undefined;
  /** By number. Those beyond `committed` are kept in the order of the others, unless the model turns out to answer. */
  readonly #aside = new Map<number, Aside>();
  /** Numbers at which batches end, because the messages on both sides failed together. Increasing. */
  #cuts: number[] = [];

  /** The messages that were set aside, for the outbox. */
  get aside(): readonly Aside[] {
    return [...this.#aside.values()].filter(({ number }) => number <= this.committed);
  }

  get hasAside(): boolean {
    return this.#aside.size > 0;
  }

  /** Whether messages were set aside after the last one that was saved. */
  get hasUnconfirmed(): boolean {
    return this.#lastAside > this.committed;
  }

  /** Whether the model may be down: it has answered nothing since it failed with a message that was set aside. */
  get isInDoubt(): boolean {
    for (const { number, isCertain } of this.#aside.values()) if (number > this.committed && !isCertain) return true;
    return false;
  }

  get #lastAside(): number {
    let last = -1;
    for (const number of this.#aside.keys()) last = Math.max(last, number);
    return last;
  }

  /** Whether all messages from one number to another are saved. */
  isDone(first: number, last: number): boolean {
    if (last > this.committed) return false;
    if (first === last) return !this.#aside.has(first);
    for (const number of this.#aside.keys()) if (first <= number && number <= last) return false;
    return true;
  }

  /** The messages that are not saved. */
  pending(items: readonly Item[], limit = Number.POSITIVE_INFINITY): readonly Item[] {
    if (this.committed < 0 && limit === Number.POSITIVE_INFINITY) return items;
    return items.filter(({ number }) => number <= limit && (number > this.committed || this.#aside.has(number)));
  }

  /** The messages to save next, together. */
  nextBatch(items: readonly Item[], limit: number): readonly Item[] {
    const start = Math.max(this.committed, this.#lastAside);
    const end = Math.min(limit, this.#cuts.find((cut) => cut > start) ?? limit);
    return firstBatch(items.filter(({ number }) => number > start && number <= end));
  }

  /** Whether a batch that ends at a number is a part of one that failed. */
  isCutAt(number: number): boolean {
    return this.#cuts.includes(number);
  }

  /** Ends the next batch in the middle of one that failed. */
  cut(batch: readonly Item[]): void {
    const middle = batch[Math.ceil(batch.length / 2) - 1] as Item;
    const end = batch.at(-1) as Item;
    const cuts = this.#cuts.filter((cut) => cut > this.committed && cut !== end.number);
    this.#cuts = [...cuts, middle.number, end.number].sort((a, b) => a - b);
  }

  /** Sets a message aside that failed alone once more. Returns its failures. */
  setAside(number: number, isCertain: boolean): Aside {
    const known = this.#aside.get(number);
    const aside = { ...known, number, isCertain, tries: (known?.tries ?? 0) + 1 };
    this.#aside.set(number, aside);
    return aside;
  }

  /** Replaces what is known of a message that is aside. */
  replaceAside(aside: Aside): void {
    this.#aside.set(aside.number, aside);
  }

  /** The model answers, so the messages that were set aside can wait for their next try. */
  confirm(): void {
    this.committed = Math.max(this.committed, this.#lastAside);
  }

  /** The model may be down: messages that it did not answer stay together, for the time when it answers again. */
  release(): void {
    for (const number of [...this.#aside.keys()]) if (number > this.committed) this.#aside.delete(number);
    this.#cuts = [];
  }

  /** All messages up to a number are saved, except those that are aside. */
  commit(last: number): void {
    this.committed = Math.max(this.committed, last);
    this.plan = undefined;
    this.#cuts = this.#cuts.filter((cut) => cut > this.committed);
  }

  /** A message that was aside is saved or given up. */
  finish(number: number): void {
    this.#aside.delete(number);
  }

  /** Takes over what managers that share the outbox have stored: they have saved all else up to `committed`. */
  adopt(committed: number, aside: readonly Aside[]): void {
    for (const number of [...this.#aside.keys()]) if (number <= committed) this.#aside.delete(number);
    for (const one of aside) if (one.number <= committed) this.#aside.set(one.number, one);
  }
}
