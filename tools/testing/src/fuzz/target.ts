import type { Random } from './random.ts';

/** A function that takes input from outside, and how to make inputs for it. */
export interface FuzzTarget<Input = unknown> {
  /**
   * The number of inputs of a short run, such as that of `npm test`: as many as take about two seconds.
   *
   * @default 1000
   */
  readonly inputs?: number;
  /** Makes an input. It must depend on nothing but `random`, so that a seed and a number repeat it. */
  input(random: Random): Input | Promise<Input>;
  /**
   * Makes an input of about `length` characters or bytes, which a longer one of the same random choices continues. The fuzzer
   * compares the time for two lengths, so that it finds work that grows faster than the input long before it takes a second.
   */
  grown?(random: Random, length: number): Input | Promise<Input>;
  /** Gives the input to the function. It must return, or throw a `MemoryError` or what {@link isRefusal} accepts. */
  run(input: Input): unknown;
  /** Whether an error is the documented answer of the function to bad input. A `MemoryError` always is. */
  isRefusal?(error: unknown): boolean;
}

/** Infers the type of the input of a target. */
export function fuzzTarget<Input>(target: FuzzTarget<Input>): FuzzTarget<Input> {
  return target;
}
