import type { Lap } from '../contest.ts';
import { clocked } from '../measure.ts';
import { median } from '../statistics.ts';

/** What a process of a contest searches. */
export interface Searched {
  /** Any number of them: a round goes on where the one before it ended. */
  readonly queries: number;
  search(query: number): unknown;
  /** Throws unless a search finds what it has to. */
  check(): Promise<void>;
}

/** A round that takes this long ends early. */
const LAP_MS = 800;

/** Searches round by round. */
export class Searcher {
  readonly #searched: Searched;
  readonly #aRound: number;
  #next = 0;
  readonly #rounds: (readonly number[])[] = [];

  constructor(searched: Searched, aRound: number) {
    this.#searched = searched;
    this.#aRound = aRound;
  }

  /** The median of a round. */
  async round(): Promise<Lap> {
    const { queries, search } = this.#searched;
    const begun = this.#next;
    const times = await clocked(this.#aRound, (index) => search((begun + index) % queries), LAP_MS);
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
