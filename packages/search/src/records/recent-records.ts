import type { StoredRecord } from './stored-record.ts';

/**
 * Recently used records, by a number. Forgets the older half at once: finding the oldest entry of a Map takes long after many
 * were deleted.
 */
export class RecentRecords {
  readonly #mostBytes: number;
  #recent = new Map<number, StoredRecord>();
  #older = new Map<number, StoredRecord>();
  /** The size of the recent records, and of the older ones. */
  #bytes = 0;
  #olderBytes = 0;

  /** @param mostBytes - How much to keep, in the units of `set`. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get(key: number): StoredRecord | undefined {
    return this.#recent.get(key) ?? this.#older.get(key);
  }

  /** About how much is kept. */
  get bytes(): number {
    return this.#bytes + this.#olderBytes;
  }

  set(key: number, record: StoredRecord, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#mostBytes / 2) {
      this.#older = this.#recent;
      this.#olderBytes = this.#bytes - bytes;
      this.#recent = new Map();
      this.#bytes = bytes;
    }
    this.#recent.set(key, record);
  }

  delete(key: number): void {
    this.#recent.delete(key);
    this.#older.delete(key);
  }

  clear(): void {
    this.#recent.clear();
    this.#older.clear();
    this.#bytes = 0;
    this.#olderBytes = 0;
  }
}
