import { Heap } from '../lexical/heap.ts';

/** An entry that can expire: in milliseconds since 1970, `undefined` for never. */
interface Expiring {
  expires: number | undefined;
}

interface Appointment<Entry> {
  readonly time: number;
  readonly entry: Entry;
}

/** Outdated queue entries are swept out once there are more than this, and more than current ones. */
const MAX_VOID = 64;

/** A queue of entries by expiry. Sets the expiry of its entries. */
export class ExpiryQueue<Entry extends Expiring> {
  #heap = new Heap<Appointment<Entry>>(isSooner);
  /** The number of outdated queue entries. */
  #void = 0;

  set(entry: Entry, expires: number | undefined): void {
    if (entry.expires === expires) return;
    if (entry.expires !== undefined) this.#void++;
    entry.expires = expires;
    if (expires !== undefined) this.#heap.push({ time: expires, entry });
    if (this.#void > MAX_VOID && this.#void > this.#heap.items.length / 2) this.#clearAway();
  }

  /** An expired entry. Returns the same one until its expiry is changed. */
  due(now: number): Entry | undefined {
    for (;;) {
      const first = this.#heap.first;
      if (first === undefined || first.time > now) return undefined;
      if (isValid(first)) return first.entry;
      this.#heap.removeFirst();
      this.#void--;
    }
  }

  #clearAway(): void {
    const valid = this.#heap.items.filter(isValid);
    this.#heap = new Heap<Appointment<Entry>>(isSooner);
    for (const appointment of valid) this.#heap.push(appointment);
    this.#void = 0;
  }
}

function isSooner(a: Appointment<unknown>, b: Appointment<unknown>): boolean {
  return a.time < b.time;
}

function isValid({ time, entry }: Appointment<Expiring>): boolean {
  return entry.expires === time;
}
