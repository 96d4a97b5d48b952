/** One part is split in two whenever there are more entries than this for each part. */
const PART = 2_048;

/**
 * A map for very many keys, in no order. A `Map` moves all its entries at once when it grows, which takes 100 ms for half a
 * million; this one moves a few thousand. Its parts are split in turn, which is linear hashing.
 */
export class SplitMap<Value> {
  readonly #parts: Map<string, Value>[] = [new Map()];
  /** The highest power of two that is not above the number of parts. */
  #half = 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: string): boolean {
    return this.#partOf(key).has(key);
  }

  get(key: string): Value | undefined {
    return this.#partOf(key).get(key);
  }

  set(key: string, value: Value): void {
    const part = this.#partOf(key);
    const before = part.size;
    part.set(key, value);
    this.#size += part.size - before;
    if (this.#size > PART * this.#parts.length) this.#splitNext();
  }

  delete(key: string): boolean {
    const isDeleted = this.#partOf(key).delete(key);
    if (isDeleted) this.#size--;
    return isDeleted;
  }

  #partOf(key: string): Map<string, Value> {
    const { length } = this.#parts;
    const hash = length === 1 ? 0 : hashOf(key);
    const place = hash & (2 * this.#half - 1);
    return this.#parts[place < length ? place : place - this.#half] as Map<string, Value>;
  }

  #splitNext(): void {
    const half = this.#half;
    const place = this.#parts.length - half;
    const [kept, moved] = [new Map<string, Value>(), new Map<string, Value>()];
    for (const [key, value] of this.#parts[place] as Map<string, Value>) {
      ((hashOf(key) & half) === 0 ? kept : moved).set(key, value);
    }
    this.#parts[place] = kept;
    this.#parts.push(moved);
    if (this.#parts.length === 2 * half) this.#half = 2 * half;
  }
}

/** FNV-1a of the UTF-16 units, mixed so that its lowest bits depend on all of them. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < key.length; place++) hash = Math.imul(hash ^ key.charCodeAt(place), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 8;
}
