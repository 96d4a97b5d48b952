/**
 * The share of the rounds to run: all, or `TORTURE_SHARE` in the environment, which `npm test` sets. It is read only here.
 */
export const SHARE = Number(process.env.TORTURE_SHARE ?? 1);
if (!(SHARE > 0 && SHARE <= 1)) throw new Error('TORTURE_SHARE must be a number above 0, up to 1.');

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
