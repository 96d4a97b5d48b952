import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import type { Contender } from '../contest.ts';
import { byClock } from '../measure.ts';
import type { OpenSession, SessionKind } from '../sessions/session-kind.ts';
import { textOf, turns } from '../sessions/turn.ts';

const NEWEST = 20;
/** Turns that are written at once, and those of a round. */
const PIECE = 1_000;
const A_ROUND = 100;

/** A session on the disk that grows. It may have more items than fit in memory. */
export class LongSession {
  readonly #directory: string;
  #turns = 0;

  constructor(directory: string) {
    mkdirSync(directory);
    this.#directory = directory;
  }

  /** Writes turns in large pieces. */
  async fill(kind: SessionKind, items: number): Promise<void> {
    while (this.#turns < items / 2) {
      const piece = turns(Math.min(PIECE, items / 2 - this.#turns), this.#turns);
      await kind.open(this.#directory, piece);
      this.#turns += piece.length;
    }
  }

  /** Appends turns one by one. */
  async appending(name: string, kind: SessionKind): Promise<Contender> {
    const session = await kind.open(this.#directory);
    const before = this.#turns;
    return {
      name,
      play: async () => {
        const more = turns(A_ROUND, this.#turns);
        const lap = await byClock(A_ROUND, (index) => session.append(more[index] as (typeof more)[0]));
        this.#turns += lap.count;
        return lap;
      },
      finish: () => this.#expectNewest(session, 2 * (this.#turns - before)),
    };
  }

  /** Reads the newest items. */
  async reading(name: string, kind: SessionKind): Promise<Contender> {
    const session = await kind.open(this.#directory);
    return {
      name,
      play: () => byClock(A_ROUND, async () => void (await session.newest(NEWEST))),
      finish: () => this.#expectNewest(session, NEWEST),
    };
  }

  async #expectNewest(session: OpenSession, count: number): Promise<void> {
    const expected = turns(count / 2, this.#turns - count / 2).flatMap(({ items }) => items.map(textOf));
    assert.deepEqual(await session.newest(count), expected, 'These are not the items that were appended.');
  }
}
