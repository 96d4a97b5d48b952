import type { Lap } from '../contest.ts';
import { clocked } from '../measure.ts';
import { median } from '../statistics.ts';

/** The search work of a process in a contest. */
export interface Searched {
  /** Any number of queries. A round continues where the previous one ended. */
  readonly queries: number;
  search(query: number): unknown;
  /** Throws if a search does not find the expected result. */
  check(): Promise<void>;
}

/** A round that takes this long ends early. */
const LAP_MS = 800;

/** Searches round by round. */
export class Searcher {
  readonly #searched: Searched;
  readonly #perRound: number;
  #next = 0;
  readonly #rounds: (readonly number[])[] = [];

  constructor(searched: Searched, perRound: number) {
    this.#searched = searched;
    this.#perRound = perRound;
  }

  /** The median of a round. */
  async round(): Promise<Lap> {
    const { queries, search } = this.#searched;
    const begun = this.#next;
    const times = await clocked(this.#perRound, (index) => search((begun + index) % queries), LAP_MS);
    this.#next = (begun + times.length) % queries;
    this.#rounds.push(times);
    return { us: median(times), ms: times.reduce((sum, us) => sum + us, 0) / 1_000 };
  }

  /** The times of all searches of each round so far, in microseconds. */
  get rounds(): readonly (readonly number[])[] {
    return this.#rounds;
  }

  check(): Promise<void> {
    return this.#searched.check();
  }
}
