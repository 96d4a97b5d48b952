import { mulberry32, seedOf } from '../mulberry32.ts';

/** The random seed. The table of figures contains it; set `TORTURE_SEED` in the environment to repeat a run. */
export const SEED = Number(process.env.TORTURE_SEED);
if (!Number.isSafeInteger(SEED)) throw new Error('TORTURE_SEED must be a whole number.');

/** Random numbers from 0 to below 1, the same for the same seed and name. */
export function randomOf(name: string): () => number {
  return mulberry32(seedOf(name, SEED));
}

/** Whole numbers from 0 to below `end`. */
export function wholesOf(name: string): (end: number) => number {
  const random = randomOf(name);
  return (end) => Math.floor(random() * end);
}
