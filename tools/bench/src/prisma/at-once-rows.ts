import assert from 'node:assert/strict';
import { type Contender, contest } from '../contest.ts';
import { byClock } from '../measure.ts';
import type { Row, Target } from '../row.ts';
import { compared } from '../sessions/compared.ts';
import { nameOf } from '../sessions/race.ts';
import { type Field, kindsOf, type SessionKind } from '../sessions/session-kind.ts';
import { textOf, turns } from '../sessions/turn.ts';

const AT_ONCE = 32;

/** Appends 32 turns concurrently: each to its own session, then all to one. */
export async function atOnceRows(
  field: Field,
  rounds: number,
  target: Target | undefined,
  say: (what: string) => void,
): Promise<Row[]> {
  say(`appending ${AT_ONCE} turns concurrently`);
  const places = [AT_ONCE, 1];
  const contenders: Contender[] = [];
  for (const kind of kindsOf(field)) {
    for (const sessions of places) contenders.push(await appendingAtOnce(kind, sessions));
  }
  const timings = await contest(contenders, rounds);
  return places.map((sessions) =>
    compared(
      `${AT_ONCE} concurrent appends, ${sessions === 1 ? 'to one session' : `to ${sessions} sessions`}`,
      field,
      timings,
      sessions,
      target,
    ),
  );
}

async function appendingAtOnce(kind: SessionKind, sessions: number): Promise<Contender> {
  const opened = await Promise.all(
    Array.from({ length: sessions }, (_, index) => kind.open(`${AT_ONCE} at once, ${index} of ${sessions}`)),
  );
  const all = turns(AT_ONCE);
  let times = 0;
  return {
    name: nameOf(kind.name, sessions),
    play: () =>
      byClock(10, async () => {
        times++;
        await Promise.all(all.map((turn, index) => opened[index % sessions]?.append(turn)));
      }),
    async finish() {
      const kept = await Promise.all(opened.map((session) => session.newest(Infinity)));
      const expected = all.flatMap(({ items }) => Array.from({ length: times }, () => items.map(textOf)).flat());
      assert.deepEqual(kept.flat().sort(), expected.sort(), 'The sessions do not contain the appended items.');
    },
  };
}
