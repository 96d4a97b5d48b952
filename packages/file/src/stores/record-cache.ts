import type { StoredRecord } from '@keepsake/search';
import type { Stretch } from '../disk/disk.ts';

/** How many bytes of log lines to keep parsed in memory, which takes about three times as much. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Recently read records, by the offset of their lines. First in, first out. */
export class RecordCache {
  readonly #records = new Map<number, { readonly record: StoredRecord; readonly bytes: number }>();
  #bytes = 0;

  /** The record at an offset, from the cache or from `read`. */
  get(place: Stretch, read: () => StoredRecord): StoredRecord {
    const known = this.#records.get(place.offset);
    if (known !== undefined) return known.record;
    const record = read();
    const bytes = place.end - place.offset;
    this.#records.set(place.offset, { record, bytes });
    this.#bytes += bytes;
    for (const [offset, oldest] of this.#records) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#records.delete(offset);
      this.#bytes -= oldest.bytes;
    }
    return record;
  }

  delete({ offset }: Stretch): void {
    this.#bytes -= this.#records.get(offset)?.bytes ?? 0;
    this.#records.delete(offset);
  }

  clear(): void {
    this.#records.clear();
    this.#bytes = 0;
  }
}
