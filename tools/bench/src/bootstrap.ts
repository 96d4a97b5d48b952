import { randomNumbers } from './random.ts';
import { mean, quantile } from './statistics.ts';

/** A mean and the 95 % interval of the means of resampled values. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const SAMPLES = 2_000;
const SEED = 20_261_122;

/**
 * Bootstraps an estimate: resamples the values with replacement, to show what other questions could have resulted in.
 * Deterministic for the same values. To compare two systems on the same questions, use differences.
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
