import { Child } from '../child.ts';
import { contest } from '../contest.ts';
import { quantile } from '../statistics.ts';
import type { VectorWork } from './vector-work.ts';
import type { SearchWork } from './work.ts';

type Work = SearchWork | VectorWork;

/** The durations of searches, in microseconds. */
export interface SearchTimes {
  /** The median of each round. */
  readonly rounds: readonly number[];
  /** Over all searches of all rounds. `p99` is missing if there were too few. */
  readonly p50: number;
  readonly p99?: number;
}

/** Fewer searches are not enough for a 99th percentile. */
const ENOUGH_FOR_P99 = 200;

/** Times contenders on the same search, each in its own process. They alternate round by round. */
export async function raceSearches(works: readonly Work[], rounds: number): Promise<Map<string, SearchTimes>> {
  const children = new Map<string, Child<Work | 'round' | 'check' | 'rounds'>>();
  try {
    for (const work of works) {
      const child = new Child<Work | 'round' | 'check' | 'rounds'>('searcher');
      children.set(nameOf(work), child);
      await child.ask(work);
    }
    const contenders = [...children].map(([name, child]) => ({
      name,
      play: () => child.ask<{ us: number; ms: number }>('round'),
      finish: () => child.ask<void>('check'),
    }));
    const timings = await contest(contenders, rounds);
    const times = new Map<string, SearchTimes>();
    for (const [name, child] of children) {
      const medians = timings[name] as readonly number[];
      // The rounds before were warm-up.
      const all = (await child.ask<number[][]>('rounds')).slice(-medians.length).flat();
      const p99 = all.length < ENOUGH_FOR_P99 ? {} : { p99: quantile(all, 0.99) };
      times.set(name, { rounds: medians, p50: quantile(all, 0.5), ...p99 });
    }
    return times;
  } finally {
    for (const child of children.values()) await child.end();
  }
}

function nameOf(work: Work): string {
  return 'contender' in work ? work.contender : work.vectors;
}
