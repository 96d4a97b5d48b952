import assert from 'node:assert/strict';
import { type Contender, contest, type Timings } from '../contest.ts';
import { byClock } from '../measure.ts';
import type { Row, Target } from '../row.ts';
import { compared, grown } from '../sessions/compared.ts';
import { nameOf } from '../sessions/race.ts';
import { inWords, type Scale } from '../sessions/scale.ts';
import { type Field, kindsOf, type SessionKind } from '../sessions/session-kind.ts';
import { textOf, turns } from '../sessions/turn.ts';

const NEWEST = 20;

/** The targets of the ratios. Missing for rows without a target. */
export interface SessionTargets {
  readonly append?: Target;
  /** The required speed-up over peers, by name. */
  readonly peers?: Readonly<Record<string, Target>>;
  readonly newest?: Target;
  /** The time with a long history relative to a short one, for appends and reads. */
  readonly growth?: Target;
}

/** Appends turns one by one and reads the newest items, with a short and a long history. */
export async function sessionRows(
  field: Field,
  scale: Scale,
  targets: SessionTargets,
  say: (what: string) => void,
): Promise<Row[]> {
  const { short, long, rounds } = scale;
  const both = [short, long] as const;
  const time = async (contender: (kind: SessionKind, items: number) => Promise<Contender>): Promise<Timings> => {
    const contenders: Contender[] = [];
    for (const kind of kindsOf(field)) for (const items of both) contenders.push(await contender(kind, items));
    return contest(contenders, rounds);
  };
  say('appending');
  const appends = await time(appending);
  say('reading the newest items');
  const reads = await time(reading);
  return [
    compared(`append, at ${inWords(short)}`, field, appends, short, targets.append),
    compared(`append, at ${inWords(long)}`, field, appends, long, targets.append),
    ...field.peers
      .filter(({ name }) => targets.peers?.[name] !== undefined)
      .map((peer) => rivalRow(field, peer, appends, short, targets.peers?.[peer.name])),
    grown(`append, at ${inWords(long)} vs. at ${inWords(short)}`, field, appends, both, targets.growth),
    compared(`newest ${NEWEST} of ${inWords(short)}`, field, reads, short, targets.newest),
    compared(`newest ${NEWEST} of ${inWords(long)}`, field, reads, long, targets.newest),
    grown(`newest ${NEWEST}, of ${inWords(long)} vs. of ${inWords(short)}`, field, reads, both, targets.growth),
  ];
}

/** The ratio is to the peer instead of the raw limit. */
function rivalRow({ keepsake }: Field, peer: SessionKind, timings: Timings, items: number, target?: Target): Row {
  const field = { raw: peer, keepsake, peers: [peer] };
  const { raw: _, ...row } = compared(`… vs. ${peer.name}`, field, timings, items, target);
  return row;
}

async function appending(kind: SessionKind, items: number): Promise<Contender> {
  const begin = turns(items / 2);
  const session = await kind.open(`append ${items}`, begin);
  const more = turns(100, begin.length);
  let appended = begin.flatMap((turn) => turn.items.map(textOf));
  return {
    name: nameOf(kind.name, items),
    async play() {
      const lap = await byClock(more.length, (index) => session.append(more[index] as (typeof more)[0]));
      appended = [...appended, ...more.slice(0, lap.count).flatMap((turn) => turn.items.map(textOf))];
      return lap;
    },
    async finish() {
      assert.deepEqual(await session.newest(Infinity), appended, 'The session does not contain the appended items.');
    },
  };
}

async function reading(kind: SessionKind, items: number): Promise<Contender> {
  const begin = turns(items / 2);
  const session = await kind.open(`read ${items}`, begin);
  const expected = begin.slice(-NEWEST / 2).flatMap((turn) => turn.items.map(textOf));
  const check = async () =>
    assert.deepEqual(await session.newest(NEWEST), expected, 'The session did not return the newest items.');
  return {
    name: nameOf(kind.name, items),
    play: () => byClock(50, async () => void (await session.newest(NEWEST))),
    finish: check,
  };
}
