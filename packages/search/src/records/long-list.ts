/** An array has 2 ** this places. */
const PART_BITS = 14;
const PART_MASK = 2 ** PART_BITS - 1;

/**
 * A list for very many items, by place. An array copies all items when it grows, which takes 5 ms for half a million; this one
 * copies a few thousand.
 */
export class LongList<T> {
  readonly #parts: T[][] = [];

  /** The item at a place, if it was set. */
  at(place: number): T | undefined {
    return this.#parts[place >>> PART_BITS]?.[place & PART_MASK];
  }

  /** Sets any place from 0 on. */
  set(place: number, item: T): void {
    const part = place >>> PART_BITS;
    this.#parts[part] ??= [];
    this.#parts[part][place & PART_MASK] = item;
  }
}
