import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { TopK } from '../lexical/top-k.ts';
import { grow } from '../snapshot/grow.ts';
import { NearestVectors } from './nearest.ts';
import type { Slots, VectorHit } from './slots.ts';

export interface VectorSearchOptions<Key> {
  /** The maximum number of hits. @default 10 */
  readonly limit?: number | undefined;
  /** Ranks only keys for which it returns true. Not called for all keys. Must not change the index. */
  readonly filter?: ((key: Key, score: number) => boolean) | undefined;
  /** Ranks only keys that come after this one, which was found before. @default All. */
  readonly after?: VectorHit<Key> | undefined;
}

const SEARCH_OPTIONS: FieldNames<VectorSearchOptions<unknown>> = { limit: true, filter: true, after: true };

/** Cosines are summed as whole multiples of this fraction, so that the sum does not depend on their order. */
const WHOLE = 2 ** 30;

/** How many vectors are compared between two looks at the time. */
const AT_ONCE = 256;

/**
 * The comparison of all vectors of an index with one. It works in steps, between which vectors can change. After the last step
 * it stays correct, except that `count`, `mean` and `deviation` are those of the last step.
 */
export class VectorComparison<Key> {
  readonly #slots: Slots<Key>;
  readonly #query: Float32Array;
  #scores = new Float64Array(0);
  /** By slot: which vector was compared, see {@link Slots.created}. */
  #compared = new Float64Array(0);
  #next = 0;
  #end = 0;
  /** `changes()` of the slots when the last pass began, and when the last complete one did. */
  #begun = -1;
  #done = -1;
  #count = 0;
  /** Of the cosines and of their squares, in multiples of {@link WHOLE}. */
  #sum = 0;
  #squares = 0;

  /** @param query - A vector of length 1. */
  constructor(slots: Slots<Key>, query: Float32Array) {
    this.#slots = slots;
    this.#query = query;
  }

  /** Runs the next step, until `isOver` returns true. Returns whether all vectors have been compared. */
  next(isOver: () => boolean): boolean {
    // What changes in the middle of a pass over all vectors is compared in the next one.
    while (this.#done !== this.#slots.changes()) {
      if (this.#next === 0) this.#begin();
      while (this.#next < this.#end) {
        const from = this.#next;
        this.#next = Math.min(from + AT_ONCE, this.#end);
        this.#compare(from, this.#next);
        if (isOver()) return false;
      }
      this.#done = this.#begun;
      this.#next = 0;
    }
    return true;
  }

  /** The number of vectors. */
  get count(): number {
    return this.#count;
  }

  /** The mean of the cosines of all vectors. */
  get mean(): number {
    return this.#sum / this.#whole;
  }

  /** The standard deviation of the cosines. */
  get deviation(): number {
    return Math.sqrt(Math.max(0, this.#squares / this.#whole - this.mean ** 2));
  }

  /** The cosine of a key's vector, if it has one. */
  scoreOf(key: Key): number | undefined {
    const slot = this.#slots.slotOf(key);
    if (slot === undefined) return undefined;
    const isCompared = this.#compared[slot] === this.#slots.created()[slot];
    return isCompared ? this.#scores[slot] : this.#slots.cosine(this.#query, slot);
  }

  /** The nearest keys, best first, last set first on ties. */
  nearest(options: VectorSearchOptions<Key> = {}): VectorHit<Key>[] {
    expectKnownFields(options, SEARCH_OPTIONS);
    const { limit = 10, filter, after } = options;
    return this.finding(limit, after).next(() => false, filter) as VectorHit<Key>[];
  }

  /** The same as {@link nearest}, in steps. */
  finding(limit: number, after?: VectorHit<Key>): NearestVectors<Key> {
    const scores = () => this.#scores;
    return new NearestVectors({ slots: this.#slots, scores, next: (isOver) => this.next(isOver) }, limit, after);
  }

  /** The nearest of some keys that have a vector, as {@link nearest}. */
  nearestOf(keys: Iterable<Key>, { limit = 10, filter }: VectorSearchOptions<Key>): VectorHit<Key>[] {
    const created = this.#slots.created();
    const best = new TopK(limit);
    for (const key of keys) {
      const slot = this.#slots.slotOf(key);
      if (slot === undefined) continue;
      const [score, age] = [this.scoreOf(key) as number, created[slot] as number];
      if (best.accepts(score, age) && filter?.(key, score) !== false) best.offer(slot, score, age);
    }
    return best.ranked().map(({ id, score }) => ({ key: this.#slots.keyOf(id), score }));
  }

  get #whole(): number {
    return Math.max(1, this.count) * WHOLE;
  }

  #begin(): void {
    this.#begun = this.#slots.changes();
    this.#end = this.#slots.end();
    this.#scores = grow(this.#scores, this.#end);
    this.#compared = grow(this.#compared, this.#end);
  }

  /** Compares the vectors of some slots that were set since. */
  #compare(from: number, end: number): void {
    const created = this.#slots.created();
    for (let slot = from; slot < end; slot++) {
      const age = created[slot] as number;
      if (age === this.#compared[slot]) continue;
      const score = age === 0 ? 0 : this.#slots.cosine(this.#query, slot);
      // A slot without a vector has the score 0.
      this.#add(this.#scores[slot] as number, -1);
      this.#add(score, 1);
      this.#count += (age === 0 ? 0 : 1) - (this.#compared[slot] === 0 ? 0 : 1);
      this.#scores[slot] = score;
      this.#compared[slot] = age;
    }
  }

  #add(score: number, by: number): void {
    this.#sum += by * Math.round(score * WHOLE);
    this.#squares += by * Math.round(score * score * WHOLE);
  }
}
