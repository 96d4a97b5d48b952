/** The random seed. The table of figures contains it; set `TORTURE_SEED` in the environment to repeat a run. */
export const SEED = Number(process.env.TORTURE_SEED);
if (!Number.isSafeInteger(SEED)) throw new Error('TORTURE_SEED must be a whole number.');

/** Random numbers from 0 to below 1, the same for the same seed and name (Mulberry32). */
export function randomOf(name: string): () => number {
  let state = [...name].reduce((hash, character) => Math.imul(hash ^ character.charCodeAt(0), 0x01000193), SEED);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Whole numbers from 0 to below `end`. */
export function wholesOf(name: string): (end: number) => number {
  const random = randomOf(name);
  return (end) => Math.floor(random() * end);
}
