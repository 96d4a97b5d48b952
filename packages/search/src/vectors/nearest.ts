import { TopK } from '../lexical/top-k.ts';
import { ReadAhead } from '../records/read-ahead.ts';
import type { Slots, VectorHit } from './slots.ts';

/** How many vectors are passed over between two looks at the time. */
const AT_ONCE = 1_024;

/** Vectors that were compared with one. */
interface Compared<Key> {
  readonly slots: Slots<Key>;
  readonly scores: () => Float64Array;
  /** See {@link VectorComparison.next}. */
  next(isOver: () => boolean): boolean;
}

/** Finds the keys with the nearest vectors, or the nearest of those that pass a filter, in steps between which vectors can change. */
export class NearestVectors<Key> {
  readonly #compared: Compared<Key>;
  readonly #limit: number;
  readonly #after: VectorHit<Key> | undefined;
  #best: TopK;
  #next = 0;
  #end = 0;
  /** Vectors that were set up to here have been looked at, in the passes before this one and with it. */
  #seen = 0;
  #seenThen = 0;

  /** @param after - Keys come after this one, which was found before. */
  constructor(compared: Compared<Key>, limit: number, after: VectorHit<Key> | undefined) {
    this.#compared = compared;
    this.#limit = limit;
    this.#after = after;
    this.#best = new TopK(limit);
  }

  /** Runs the next step, until `isOver` returns true. Returns the hits, best first, or `undefined` if there must be another step. */
  next(isOver: () => boolean, passes?: (key: Key, score: number) => boolean | undefined): VectorHit<Key>[] | undefined {
    const { slots } = this.#compared;
    if (!this.#compared.next(isOver)) return undefined;
    const created = slots.created();
    // Others were rejected in favour of one that is gone or has another vector.
    if (this.#best.kept.some(({ id, age }) => created[id] !== age)) this.#restart();
    // What is set in the middle of a pass over all vectors is looked at in the next one.
    while (this.#seen !== slots.newest()) {
      if (this.#next === 0) [this.#end, this.#seenThen] = [slots.end(), slots.newest()];
      if (!this.#pass(isOver, passes)) return undefined;
      [this.#next, this.#seen] = [0, this.#seenThen];
    }
    return this.#best.ranked().map(({ id, score }) => ({ key: slots.keyOf(id), score }));
  }

  #restart(): void {
    this.#best = new TopK(this.#limit);
    this.#next = 0;
    this.#seen = 0;
  }

  /** Returns whether the pass is over. */
  #pass(isOver: () => boolean, passes?: (key: Key, score: number) => boolean | undefined): boolean {
    const { slots } = this.#compared;
    const ahead = new ReadAhead();
    const [created, scores] = [slots.created(), this.#compared.scores()];
    const [ceiling, ageOfCeiling] = this.#ceiling();
    while (this.#next < this.#end) {
      const slot = this.#next++;
      const age = created[slot] as number;
      const score = scores[slot] as number;
      // A slot without a vector has the age 0.
      const isNew = age > this.#seen && age <= this.#seenThen && this.#best.accepts(score, age);
      const isAsked = isNew && (score < ceiling || (score === ceiling && age < ageOfCeiling));
      const verdict = isAsked && (passes === undefined || passes(slots.keyOf(slot), score));
      if (ahead.accepts(verdict, slot)) this.#best.offer(slot, score, age);
      const isTimed = isAsked ? passes !== undefined : slot % AT_ONCE === 0;
      if (ahead.isFull || (isTimed && isOver())) break;
    }
    if (ahead.first === undefined) return this.#next === this.#end;
    this.#next = ahead.first;
    return false;
  }

  /** After all others with the same score if it is gone. */
  #ceiling(): readonly [score: number, age: number] {
    if (this.#after === undefined) return [Infinity, Infinity];
    const { slots } = this.#compared;
    const slot = slots.slotOf(this.#after.key);
    return [this.#after.score, slot === undefined ? 0 : (slots.created()[slot] as number)];
  }
}
