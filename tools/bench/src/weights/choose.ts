import type { Chosen, Tuned } from './tuned.ts';

/** How often each weight is chosen again, because the others have changed. */
const PASSES = 2;

/**
 * Chooses weights one at a time: of the values of each, the one with the highest worth beside the current values of the
 * others, starting from the first values. On a tie, the earlier value stays.
 */
export async function choose(tuned: readonly Tuned[], worthOf: (chosen: Chosen) => Promise<number>): Promise<Chosen> {
  let best: Chosen = Object.fromEntries(tuned.map(({ name, values }) => [name, values[0] as number]));
  let highest = await worthOf(best);
  for (let pass = 0; pass < PASSES; pass++) {
    for (const { name, values } of tuned) {
      const current = best;
      for (const value of values) {
        if (value === current[name]) continue;
        const candidate = { ...current, [name]: value };
        const worth = await worthOf(candidate);
        if (worth <= highest) continue;
        highest = worth;
        best = candidate;
      }
    }
  }
  return best;
}
