import type { Timings } from '../contest.ts';
import { race } from '../race.ts';
import type { Work } from './work.ts';

/** Times several kinds at the same work; see {@link race}. */
export function raceSessions(works: readonly Work[], rounds: number): Promise<Timings> {
  return race('worker', new Map(works.map((work) => [nameOf(work.kind, work.items), work])), rounds);
}

/** The name of a kind in a contest with histories of several lengths. */
export function nameOf(kind: string, items: number): string {
  return `${kind}, ${items}`;
}
