import { randomNumbers } from './random.ts';
import { mean, quantile } from './statistics.ts';

/** A mean, and where 95 % of the means of resampled values lie. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const SAMPLES = 2_000;
const SEED = 20_261_122;

/**
 * Draws as many values as there are, with repeats, again and again: what else could have come out, had other questions
 * been asked. The same values give the same estimate. For a comparison of two on the same questions, take differences.
 */
export function estimate(values: readonly number[]): Estimate {
  const random = randomNumbers(SEED);
  const means = Array.from({ length: SAMPLES }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn++) sum += values[Math.floor(random() * values.length)] as number;
    return sum / values.length;
  });
  return { mean: mean(values), low: quantile(means, 0.025), high: quantile(means, 0.975) };
}
