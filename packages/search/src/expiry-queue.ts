import { Heap } from './heap.ts';

/** Something that may expire: in milliseconds since 1970, `undefined` for never. */
interface Expiring {
  expires: number | undefined;
}

interface Appointment<Entry> {
  readonly time: number;
  readonly entry: Entry;
}

/** Void appointments are cleared away when they are more than this, and than all others. */
const MAX_VOID = 64;

/** Which entry expires next. An entry's time is set through it, and through nothing else. */
export class ExpiryQueue<Entry extends Expiring> {
  #heap = new Heap<Appointment<Entry>>(isSooner);
  /** How many appointments are of entries that have another time now, or none. */
  #void = 0;

  set(entry: Entry, expires: number | undefined): void {
    if (entry.expires === expires) return;
    if (entry.expires !== undefined) this.#void++;
    entry.expires = expires;
    if (expires !== undefined) this.#heap.push({ time: expires, entry });
    if (this.#void > MAX_VOID && this.#void > this.#heap.items.length / 2) this.#clearAway();
  }

  /** An entry whose time has come; the same one until it has another time. */
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
