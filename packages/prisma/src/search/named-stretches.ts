import { TIME_REACH_MS, type TimeStretches } from '@keepsake/search/remote';

/** The factor of a record from a time for a query that names times, as the search statement computes it. */
export function timeFactorOf(times: readonly TimeStretches[], time: number): number {
  let factor = 1;
  for (const { gain, stretches } of times) {
    for (const { from, to } of stretches) {
      const distance = time < from ? (from - time) / TIME_REACH_MS.before : (time - to) / TIME_REACH_MS.after;
      factor = Math.max(factor, 1 + gain * (1 - Math.max(0, distance)));
    }
  }
  return factor;
}
