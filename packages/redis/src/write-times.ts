import { MAX_QUERY_LENGTH, namedTimes, WEIGHTS } from '@keepsake/search';
import type { ScriptArgument } from './redis-client.ts';

/** A time without a year is sought in each year from the one before this to the next year but one. */
const FIRST_YEAR = 1970;

/**
 * The times that a query names, for the script that searches: how many they are, then for each what it adds to the factor of
 * a document of that time, how many stretches it has, and where each begins and ends, in milliseconds since 1970. A time
 * without a year has a stretch a year, the first of them in 1969.
 */
export function writeTimes(query: string, now: Date): ScriptArgument[] {
  const times = namedTimes(query.slice(0, MAX_QUERY_LENGTH), now);
  const last = now.getUTCFullYear() + 2;
  const years = Array.from({ length: last - FIRST_YEAR + 2 }, (_, place) => FIRST_YEAR - 1 + place);
  return [
    times.length,
    ...times.flatMap(({ scale, stretchIn }) => {
      const stretches = years.map(stretchIn);
      const [first, second] = stretches;
      const own = first?.from === second?.from ? stretches.slice(0, 1) : stretches;
      return [WEIGHTS[scale] - 1, own.length, ...own.flatMap(({ from, to }) => [from, to])];
    }),
  ];
}
