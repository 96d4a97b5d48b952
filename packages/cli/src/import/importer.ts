import { isMemoryError, type RecordInput, type RecordStore } from '@keepsake/core';
import type { BrokenInput } from './broken-input.ts';
import { checkRecord } from './check-record.ts';
import type { Found } from './found.ts';

/** How many records an import added and skipped. */
export interface Tally {
  added: number;
  alreadyThere: number;
  /** Skipped because they have no text. */
  blank: number;
  /** Skipped because they have expired. */
  expired: number;
  /** The positions of records that were skipped because their content is too large. */
  readonly tooLarge: string[];
  /** What could not be read, with its position. */
  readonly broken: string[];
}

const BATCH_RECORDS = 500;
const BATCH_CHARACTERS = 1024 * 1024;

/** Adds records that are not in the store yet, in batches. */
export class Importer {
  readonly tally: Tally = { added: 0, alreadyThere: 0, blank: 0, expired: 0, tooLarge: [], broken: [] };
  /** The number of records found so far, including skipped ones and those in the current batch. */
  count = 0;
  readonly #store: Pick<RecordStore, 'get' | 'putMany'>;
  #batch = new Map<string, RecordInput>();
  #characters = 0;

  constructor(store: Pick<RecordStore, 'get' | 'putMany'>) {
    this.#store = store;
  }

  /** Returns why it can't be added, if so. The caller decides whether that ends the import. */
  async add(found: Found): Promise<BrokenInput | undefined> {
    this.count++;
    const { place } = found;
    if (found.skipped === 'broken') return found.failure;
    if (found.skipped !== undefined) {
      this.tally[found.skipped]++;
      return undefined;
    }
    const { record } = found;
    const failure = checkRecord(record, place);
    if (isMemoryError(failure?.cause, 'TOO_LARGE')) {
      this.tally.tooLarge.push(place);
      return undefined;
    }
    if (failure !== undefined) return failure;
    if (this.#batch.has(record.id)) this.tally.alreadyThere++;
    else this.#batch.set(record.id, record);
    this.#characters += record.content.length;
    if (this.#batch.size >= BATCH_RECORDS || this.#characters >= BATCH_CHARACTERS) await this.flush();
    return undefined;
  }

  /** Writes the current batch, then counts its records, so that counted records are always stored. */
  async flush(): Promise<void> {
    const batch = [...this.#batch.values()];
    this.#batch.clear();
    this.#characters = 0;
    const missing = new Map<string, RecordInput>();
    for (const record of batch) {
      const id = record.id as string;
      if ((await this.#store.get(id)) === undefined) missing.set(id, await this.#withPredecessor(record, missing));
    }
    const put = await this.#store.putMany([...missing.values()]);
    // If another process added the same record in the meantime, this write created version 2.
    const added = put.filter(({ version }) => version === 1).length;
    this.tally.added += added;
    this.tally.alreadyThere += batch.length - added;
  }

  /** A record that supersedes only what is there to be superseded: its predecessor may have expired, or changed here. */
  async #withPredecessor(record: RecordInput, missing: ReadonlyMap<string, RecordInput>): Promise<RecordInput> {
    const { supersedes, ...alone } = record;
    if (supersedes === undefined) return record;
    const former = missing.get(supersedes) ?? (await this.#store.get(supersedes));
    const isOpen = former !== undefined && former.validUntil === undefined;
    return isOpen || former?.supersededBy === record.id ? record : alone;
  }
}
