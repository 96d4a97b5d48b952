import type { StoredRecord } from '@keepsake/search';
import type { Stretch } from '../disk/disk.ts';

/** How many bytes of log lines to keep parsed in memory, which takes about three times as much. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Recently read records, by the offset of their lines. Forgets the older half at once: finding the oldest entry of a Map takes
 * long after many were deleted.
 */
export class RecordCache {
  #recent = new Map<number, StoredRecord>();
  #older = new Map<number, StoredRecord>();
  /** The length of the lines of the recent records. */
  #bytes = 0;

  /** The record at a place, from the cache or from `read`. */
  get(place: Stretch, read: () => StoredRecord): StoredRecord {
    const { offset, end } = place;
    const known = this.#recent.get(offset) ?? this.#older.get(offset);
    if (known !== undefined) return known;
    const record = read();
    this.#bytes += end - offset;
    if (this.#bytes > MOST_BYTES / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#bytes = end - offset;
    }
    this.#recent.set(offset, record);
    return record;
  }

  delete({ offset }: Stretch): void {
    this.#recent.delete(offset);
    this.#older.delete(offset);
  }

  clear(): void {
    this.#recent.clear();
    this.#older.clear();
    this.#bytes = 0;
  }
}
