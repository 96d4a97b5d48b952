import { type Contender, contest } from '../contest.ts';
import { ratios } from '../row.ts';
import { median } from '../statistics.ts';

/** Keepsake and what it is compared with, in this process. */
export interface Pair {
  readonly keepsake: Contender;
  /** The raw limit or a peer. */
  readonly other: Contender;
}

/** How long to compare. */
export interface Length {
  readonly rounds: number;
  /** The number of times that each contender plays in a round. */
  readonly plays: number;
}

/** Longer than for a table, because a busy machine must not leave rounds of a few plays. */
const PATIENCE_MS = 12_000;

/**
 * The speed of Keepsake if the other's is 1, per round. They take turns play by play, so that other programs slow down
 * both. A round is the median of its plays, and has fewer of them if they take too long.
 */
export async function compareSpeeds({ keepsake, other }: Pair, { rounds, plays }: Length): Promise<number[]> {
  // The compiler optimizes both.
  await contest([other, keepsake], plays);
  const timings = await contest([other, keepsake], rounds * plays, PATIENCE_MS);
  const timesOf = ({ name }: Contender) => timings[name] as readonly number[];
  const played = Math.min(timesOf(keepsake).length, timesOf(other).length);
  const inRound = Math.max(1, Math.floor(played / rounds));
  const byRound = (contender: Contender) => mediansOf(timesOf(contender), inRound);
  return ratios(byRound(other), byRound(keepsake));
}

/** The median of each full group of values. */
function mediansOf(values: readonly number[], size: number): number[] {
  return Array.from({ length: Math.floor(values.length / size) }, (_, group) =>
    median(values.slice(group * size, (group + 1) * size)),
  );
}
