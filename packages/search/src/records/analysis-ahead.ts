import { type IdentifiedRecord, throwIfAborted } from '@keepsake/core/adapter';
import { nextTurn, Pauses } from '@keepsake/internal';
import type { Language } from '../languages/language.ts';
import { analyserOf } from '../text/analyser.ts';

/** In UTF-16 units. Shorter texts take less than a step. */
const LONG = 8_192;

/** What a change puts. */
interface RecordsToAnalyse {
  readonly records?: readonly IdentifiedRecord[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Analyses the texts of large batches in steps, before the change that needs the analyses at once. Changes stay in the order
 * of the calls.
 */
export class AnalysisAhead {
  readonly #language: Language | undefined;
  /** Settles after the analyses of all earlier calls. */
  #last: Promise<void> | undefined;

  constructor(language: Language | undefined) {
    this.#language = language;
  }

  /**
   * Calls `change`, at once if neither its records nor those of earlier calls are many.
   *
   * @throws MemoryError `ABORTED` between two steps. Then `change` is not called.
   */
  before<T>(change: () => Promise<T>, { records = [], ...options }: RecordsToAnalyse = {}): Promise<T> {
    const isLong = records.reduce((sum, { index, content }) => sum + (index ? content.length : 0), 0) > LONG;
    if (!isLong && this.#last === undefined) return change();
    const analysed = isLong ? records : [];
    return this.#changeAfter(this.#inTurn({ records: analysed, ...options }), analysed, change);
  }

  async #changeAfter<T>(
    ready: Promise<void>,
    records: readonly IdentifiedRecord[],
    change: () => Promise<T>,
  ): Promise<T> {
    try {
      await ready;
      return await change();
    } finally {
      for (const { index, content } of records) if (index) analyserOf(this.#language).forget(content);
    }
  }

  #inTurn(analysed: RecordsToAnalyse): Promise<void> {
    const ready = (this.#last ?? Promise.resolve()).then(() => this.#analyse(analysed));
    const last = ready
      .catch(() => {})
      .then(() => {
        if (this.#last === last) this.#last = undefined;
      });
    this.#last = last;
    return ready;
  }

  async #analyse({ records = [], signal }: RecordsToAnalyse): Promise<void> {
    if (records.length === 0) return;
    // The call has checked all records in this turn.
    await nextTurn();
    const pauses = new Pauses();
    for (const record of records) {
      if (record.index) analyserOf(this.#language).prepare(record.content);
      await pauses.afterStep();
      throwIfAborted(signal);
    }
    // The change has a turn of its own.
    await nextTurn();
    throwIfAborted(signal);
  }
}
