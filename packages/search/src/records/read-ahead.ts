/** Whether a document passes a filter; `undefined` if its record must be read first. */
export type Verdict = (document: number) => boolean | undefined;

/** How many records are noted to be read at once. */
const AT_ONCE = 256;

/**
 * A look ahead of the first document whose record must be read, in documents that are looked at in an order: those that must be
 * read, too, are read with it. Afterwards all of them are looked at again.
 */
export class ReadAhead {
  /** The place of the first one. */
  first: number | undefined;
  #count = 0;

  /** Whether to take the document at a place. */
  accepts(verdict: boolean | undefined, place: number): boolean {
    if (verdict === undefined) {
      this.#count++;
      this.first ??= place;
    }
    return verdict === true && this.first === undefined;
  }

  get isFull(): boolean {
    return this.#count >= AT_ONCE;
  }
}
