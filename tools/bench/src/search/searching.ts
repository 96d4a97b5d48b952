import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Figure, figure } from '../row.ts';
import type { TextContender } from './contenders.ts';
import { raceSearches, type SearchTimes } from './race.ts';
import type { TextScale } from './text-scale.ts';
import type { SearchWork } from './work.ts';

/** The search durations of each contender. */
export type Searches = ReadonlyMap<TextContender, SearchTimes>;

/** Searches by words. */
export async function timeSearches(
  contenders: readonly TextContender[],
  { entries, length, rounds, searches }: TextScale,
  directory: string,
): Promise<Searches> {
  const works = contenders.map(({ name }): SearchWork => {
    const own = join(directory, name);
    mkdirSync(own, { recursive: true });
    return { contender: name, entries, length, directory: own, perRound: searches };
  });
  const times = await raceSearches(works, rounds);
  return new Map(contenders.map((one) => [one, times.get(one.name) as SearchTimes]));
}

export function p50Of(searches: Searches): (one: TextContender) => Figure {
  return (one) => {
    const { rounds, p50 } = searches.get(one) as SearchTimes;
    return { ...figure(one.name, 'µs', rounds), value: p50 };
  };
}

/** Returns nothing if there were too few searches. */
export function p99Of(searches: Searches): (one: TextContender) => Figure | undefined {
  return (one) => {
    const p99 = searches.get(one)?.p99;
    return p99 === undefined ? undefined : { name: one.name, unit: 'µs', value: p99 };
  };
}
