import type { Length } from './interleaved.ts';

/** The sizes of the guard, and how long it compares. */
export interface GuardScale {
  /** The length of the history of a session. */
  readonly items: number;
  /** The records of a store that is searched, and of one that is filled. */
  readonly records: number;
  readonly added: number;
  /** The number of different queries of a lap. Slow searches and injections get a fifth of them. */
  readonly queries: number;
  /** How long sessions are compared. A play is one operation. */
  readonly operations: Length;
  /** How long searches are compared. A play is a lap of a few milliseconds. */
  readonly laps: Length;
  /** How long filling is compared. A play fills one store. */
  readonly fills: Length;
}

export const FULL: GuardScale = {
  items: 1_000,
  records: 10_000,
  added: 500,
  queries: 50,
  operations: { rounds: 20, plays: 300 },
  laps: { rounds: 20, plays: 60 },
  fills: { rounds: 20, plays: 40 },
};

export const QUICK: GuardScale = {
  items: 20,
  records: 200,
  added: 100,
  queries: 20,
  operations: { rounds: 2, plays: 3 },
  laps: { rounds: 2, plays: 1 },
  fills: { rounds: 2, plays: 1 },
};
