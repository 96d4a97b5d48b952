import { grow } from '../snapshot/grow.ts';
import { documentOf, frequencyOf } from './postings.ts';
import { frequencyStep, LENGTH_STEPS } from './tf-quantizer.ts';

/** The offset of the shares of each frequency step. */
const SHARES_FROM = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, frequency) =>
  frequency === 0 ? 0 : frequencyStep(frequency) * LENGTH_STEPS.length,
);

/** The accumulated scores of a search. Reused for many searches, with {@link Scores.clear} after each. */
export class Scores {
  #scores = new Float64Array(0);
  #held = new Uint32Array(0);
  #touched = new Uint32Array(0);
  #count = 0;

  /** Reserves room for document numbers below `end`. */
  reserve(end: number): void {
    this.#scores = grow(this.#scores, end);
    this.#held = grow(this.#held, end);
    this.#touched = grow(this.#touched, end);
  }

  /**
   * Adds a word's score to its documents: `worth`, above 0, times the value in `shares` for the frequency and length steps,
   * see `TERM_SHARES`. Also sets `bit`, unless it is 0. Most of a search's time is spent here.
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

  /** The documents with a score, unordered. */
  get documents(): Uint32Array {
    return this.#touched.subarray(0, this.#count);
  }

  /** By document: the score, or 0. */
  get sums(): Float64Array {
    return this.#scores;
  }

  /** By document: the bits of its words. */
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

/** How many searches can run in steps at the same time. Each keeps 16 bytes for each document. */
const MAX_TAKEN = 4;

/** Lends scratch memory to searches. */
export class ScoresPool {
  readonly #spare: Scores[] = [];
  #taken = 0;

  /** Whether a search that takes several steps must wait for another one. */
  get isUsedUp(): boolean {
    return this.#taken >= MAX_TAKEN;
  }

  take(): Scores {
    this.#taken++;
    return this.#spare.pop() ?? new Scores();
  }

  giveBack(scores: Scores): void {
    scores.clear();
    // Allocating large arrays again and again makes the garbage collector run.
    if (this.#spare.length < MAX_TAKEN) this.#spare.push(scores);
    this.#taken--;
  }
}
