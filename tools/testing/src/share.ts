/**
 * The share of the rounds that tests run: `TEST_SHARE` in the environment. The configurations of Vitest set it, to a tenth for
 * tests and to all for torture tests. With all, tests that are tagged `nightly` run too. It is read only here.
 */
export const SHARE = Number(process.env.TEST_SHARE ?? 1);
if (!(SHARE > 0 && SHARE <= 1)) throw new Error('TEST_SHARE must be a number above 0, up to 1.');

/**
 * The number of rounds to run out of `full`, at least one. Figures must report this number.
 *
 * @param atLeast - The minimum for a meaningful test.
 */
export function rounds(full: number, atLeast = 1): number {
  return Math.max(Math.ceil(full * SHARE), Math.min(full, atLeast));
}

/** The step between the positions to try in a sequence: 1 in a full run, at most `most`. */
export function step(most: number): number {
  return Math.min(Math.round(1 / SHARE), most);
}

/** The options by day; none if all tests run. */
export function byDay<Options extends object>(options: Options): Partial<Options> {
  return SHARE === 1 ? {} : options;
}
