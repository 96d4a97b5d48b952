import { grow } from './grow.ts';
import { documentOf, frequencyOf } from './postings.ts';
import { frequencyStep, LENGTH_STEPS } from './tf-quantizer.ts';

/** By the frequency of a posting: where the shares of its frequency begin among all. */
const SHARES_FROM = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, frequency) =>
  frequency === 0 ? 0 : frequencyStep(frequency) * LENGTH_STEPS.length,
);

/** What a search has given to the documents so far. Made once for many searches, with {@link Scores.clear} after each. */
export class Scores {
  #scores = new Float64Array(0);
  #held = new Uint32Array(0);
  #touched = new Uint32Array(0);
  #count = 0;

  /** Makes room for documents whose numbers are below `end`. */
  reserve(end: number): void {
    this.#scores = grow(this.#scores, end);
    this.#held = grow(this.#held, end);
    this.#touched = grow(this.#touched, end);
  }

  /**
   * Gives a word's share to the documents that hold it: `worth`, above 0, times what `shares` has for its frequency and
   * the step of their length, see `termShares`. `bit` is noted of them, unless it is 0. This is where most of the time of a
   * search goes.
   */
  add(postings: Uint32Array, worth: number, bit: number, lengths: Uint8Array, shares: Float64Array): void {
    const scores = this.#scores;
    const held = this.#held;
    const touched = this.#touched;
    let count = this.#count;
    for (let place = 0; place < postings.length; place++) {
      const posting = postings[place] as number;
      const document = documentOf(posting);
      const before = scores[document] as number;
      if (before === 0) touched[count++] = document;
      const from = SHARES_FROM[frequencyOf(posting)] as number;
      scores[document] = before + worth * (shares[from + (lengths[document] as number)] as number);
      if (bit !== 0) held[document] = (held[document] as number) | bit;
    }
    this.#count = count;
  }

  /** The documents that anything was given to, in no order. */
  get documents(): Uint32Array {
    return this.#touched.subarray(0, this.#count);
  }

  /** By document: the sum of what was given; 0 where nothing was. */
  get sums(): Float64Array {
    return this.#scores;
  }

  /** By document: the bits that were noted. */
  get held(): Uint32Array {
    return this.#held;
  }

  clear(): void {
    for (let place = 0; place < this.#count; place++) {
      const document = this.#touched[place] as number;
      this.#scores[document] = 0;
      this.#held[document] = 0;
    }
    this.#count = 0;
  }
}
