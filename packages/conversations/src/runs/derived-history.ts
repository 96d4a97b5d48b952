import type { JsonObject, Session } from '@keepsake/core';
import { itemLimit } from '@keepsake/core/adapter';
import type { Run } from './run.ts';
import type { RunRecords } from './run-records.ts';
import type { HistoryStart } from './session.ts';

/** How many runs are read at once, for a window and for a whole history. */
const WINDOW_PAGE = 10;
const WHOLE_PAGE = 100;

/**
 * The items of the completed runs by `seq`, read from the end and only as far as needed. An object is a snapshot: it reads
 * each run once.
 */
export class DerivedHistory implements Pick<Session, 'getItems'> {
  readonly #runs: RunRecords;
  readonly #start: HistoryStart;
  /** The newest first. */
  readonly #read: (readonly JsonObject[])[] = [];
  #count = 0;
  #rest: AsyncGenerator<Run> | undefined;
  #isWhole = false;

  constructor(runs: RunRecords, start: HistoryStart) {
    this.#runs = runs;
    this.#start = start;
  }

  async getItems(limit?: number): Promise<JsonObject[]> {
    const count = itemLimit(limit);
    if (count === 0) return [];
    this.#rest ??= this.#runs.newestCompleted(this.#start, count === undefined ? WHOLE_PAGE : WINDOW_PAGE);
    while (!this.#isWhole && (count === undefined || this.#count < count)) {
      const next = await this.#rest.next();
      this.#isWhole = next.done === true;
      if (next.done) break;
      this.#read.push(next.value.items);
      this.#count += next.value.items.length;
    }
    const items = this.#read.toReversed().flat();
    return count === undefined ? items : items.slice(-count);
  }
}
