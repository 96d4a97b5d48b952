import { isMemoryError, prepareRecord, type RecordInput, type RecordStore } from '@keepsake/core';
import { brokenInput } from './broken-input.ts';
import type { Found } from './found.ts';

/** What became of what was found. */
export interface Tally {
  added: number;
  alreadyThere: number;
  /** Left out, because it says nothing. */
  blank: number;
  /** Left out, because its time is over. */
  expired: number;
  /** Where content stands that is over the limit, and left out. */
  readonly tooLarge: string[];
}

const BATCH_RECORDS = 500;
const BATCH_CHARACTERS = 1024 * 1024;

/** Puts into a store what is not there yet, a batch at a time. */
export class Importer {
  readonly tally: Tally = { added: 0, alreadyThere: 0, blank: 0, expired: 0, tooLarge: [] };
  /** How much was found so far, also what still waits for its batch. */
  count = 0;
  readonly #store: Pick<RecordStore, 'get' | 'putMany'>;
  #batch = new Map<string, RecordInput>();
  #characters = 0;

  constructor(store: Pick<RecordStore, 'get' | 'putMany'>) {
    this.#store = store;
  }

  /** @throws Failure `INPUT` for what can't be a record. */
  async add(found: Found): Promise<void> {
    this.count++;
    if (found.leftOut !== undefined) {
      this.tally[found.leftOut]++;
      return;
    }
    const { record, place } = found;
    if (!this.#isStorable(record, place)) return;
    if (this.#batch.has(record.id)) this.tally.alreadyThere++;
    else this.#batch.set(record.id, record);
    this.#characters += record.content.length;
    if (this.#batch.size >= BATCH_RECORDS || this.#characters >= BATCH_CHARACTERS) await this.flush();
  }

  /** Writes what has gathered. Once it is done, it is counted and will not be lost. */
  async flush(): Promise<void> {
    const batch = [...this.#batch.values()];
    this.#batch.clear();
    this.#characters = 0;
    const missing: RecordInput[] = [];
    for (const record of batch) {
      if ((await this.#store.get(record.id as string)) === undefined) missing.push(record);
    }
    const put = await this.#store.putMany(missing);
    // Another process may have put the same meanwhile: then ours was its second version.
    const added = put.filter(({ version }) => version === 1).length;
    this.tally.added += added;
    this.tally.alreadyThere += batch.length - added;
  }

  #isStorable(record: RecordInput, place: string): boolean {
    try {
      prepareRecord(record);
      return true;
    } catch (error) {
      if (!isMemoryError(error, 'TOO_LARGE')) throw brokenInput(`${place}: ${(error as Error).message}`, error);
      this.tally.tooLarge.push(place);
      return false;
    }
  }
}
