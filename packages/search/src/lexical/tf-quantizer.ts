/*
 * Quantizes term frequencies and document lengths into one byte. Every backend ranks by these steps, so that an index with
 * one byte per posting gives the same scores as one with room for both.
 */

/** Term frequencies, in steps with about equal differences in BM25. */
export const FREQUENCY_STEPS = [1, 2, 3.5, 8] as const;

/** Lengths up to this are exact. Beyond it, each step is a fifth longer than the one before, up to 10,938 terms. */
const EXACT_LENGTHS = 32;
export const LENGTH_STEPS: readonly number[] = /* @__PURE__ */ Array.from({ length: 64 }, (_, step) =>
  step < EXACT_LENGTHS ? step + 1 : Math.round(EXACT_LENGTHS * 1.2 ** (step - EXACT_LENGTHS + 1)),
);

/** The step of a length, from 0 to 63. A text without terms counts as one term. */
export function lengthStep(length: number): number {
  return length <= EXACT_LENGTHS ? Math.max(0, length - 1) : nearest(LENGTH_STEPS, length);
}

/** The length of a document in ranking, rounded to its step. */
export function rankedLength(length: number): number {
  return LENGTH_STEPS[lengthStep(length)] as number;
}

/** The step of a term frequency, from 0 to 3. */
export function frequencyStep(frequency: number): number {
  return frequency <= 2 ? frequency - 1 : nearest(FREQUENCY_STEPS, frequency);
}

/** Both steps in one byte: the frequency in the upper two bits, the length in the lower six. */
export function quantizedFrequency(frequency: number, length: number): number {
  return frequencyStep(frequency) * LENGTH_STEPS.length + lengthStep(length);
}

function nearest(steps: readonly number[], value: number): number {
  const above = steps.findIndex((step) => step >= value);
  if (above === -1) return steps.length - 1;
  const below = Math.max(0, above - 1);
  return (steps[above] as number) - value <= value - (steps[below] as number) ? above : below;
}
