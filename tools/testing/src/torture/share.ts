/**
 * How much of the rounds is done: all of them, or the share of `TORTURE_SHARE` in the environment, which `npm test` sets. It
 * is read here and nowhere else.
 */
export const SHARE = Number(process.env.TORTURE_SHARE ?? 1);
if (!(SHARE > 0 && SHARE <= 1)) throw new Error('TORTURE_SHARE is to be a number above 0, up to 1.');

/**
 * How many rounds of so many are to be done: never none. Figures name what this gives, not what it was given.
 *
 * @param atLeast what a test needs to prove anything.
 */
export function rounds(full: number, atLeast = 1): number {
  return Math.max(Math.ceil(full * SHARE), Math.min(full, atLeast));
}

/** Where each of many places in a row is to be tried: how far the next is from one, 1 in full and `most` at the most. */
export function step(most: number): number {
  return Math.min(Math.round(1 / SHARE), most);
}
