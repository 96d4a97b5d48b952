import fc, { type Arbitrary } from 'fast-check';
import { mulberry32 } from '../mulberry32.ts';

/** The random choices of one input: the same for the same seed. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = mulberry32(seed);
  }

  /** A whole number from 0 to below `end`. */
  whole(end: number): number {
    return Math.floor(this.#next() * end);
  }

  /** True with this probability, from 0 to 1. */
  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** An element of a list, which must not be empty. */
  pick<Value>(values: readonly Value[]): Value {
    return values[this.whole(values.length)] as Value;
  }

  /** A value of an arbitrary of fast-check. */
  sample<Value>(arbitrary: Arbitrary<Value>): Value {
    const [value] = fc.sample(arbitrary, { seed: this.whole(2 ** 31), numRuns: 1 });
    return value as Value;
  }
}
