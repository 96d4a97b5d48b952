import assert from 'node:assert/strict';
import type { Contender } from '../contest.ts';
import { byClock } from '../measure.ts';
import { nameOf } from '../sessions/race.ts';
import type { SessionKind } from '../sessions/session-kind.ts';
import { type Turn, textOf, turns } from '../sessions/turn.ts';

/** The number of items that a read returns. */
export const NEWEST = 20;

/** What a contender does in this process. */
export interface SessionWork {
  /** The directory of the session, or its name for kinds on a server. */
  readonly place: string;
  /** The length of the initial history. */
  readonly items: number;
  /** The number of operations per round. */
  readonly times: number;
}

/** Appends turns one by one to the same session. */
export async function appending(kind: SessionKind, { place, items, times }: SessionWork): Promise<Contender> {
  const begin = turns(items / 2);
  const session = await kind.open(place, begin);
  const more = turns(times, begin.length);
  const appended = [...begin];
  return {
    name: nameOf(kind.name, items),
    async play() {
      const lap = await byClock(times, (index) => session.append(more[index] as Turn));
      appended.push(...more.slice(0, lap.count));
      return lap;
    },
    async finish() {
      const expected = appended.flatMap((turn) => turn.items.map(textOf));
      assert.deepEqual(await session.newest(Infinity), expected, 'The session does not contain the appended items.');
    },
  };
}

/** Reads the newest items of a session. */
export async function reading(kind: SessionKind, { place, items, times }: SessionWork): Promise<Contender> {
  const begin = turns(items / 2);
  const session = await kind.open(place, begin);
  const expected = begin.slice(-NEWEST / 2).flatMap((turn) => turn.items.map(textOf));
  return {
    name: nameOf(kind.name, items),
    play: () => byClock(times, async () => void (await session.newest(NEWEST))),
    async finish() {
      assert.deepEqual(await session.newest(NEWEST), expected, 'The session did not return the newest items.');
    },
  };
}
