import { type Contender, contest, type Timings } from '../contest.ts';
import type { Row, Target } from '../row.ts';
import { compared, grown } from '../sessions/compared.ts';
import { inWords, type Scale } from '../sessions/scale.ts';
import { type Field, kindsOf, type SessionKind } from '../sessions/session-kind.ts';
import { appending, NEWEST, reading, type SessionWork } from './session-contenders.ts';

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
  const time = async (
    verb: string,
    times: number,
    contender: (kind: SessionKind, work: SessionWork) => Promise<Contender>,
  ): Promise<Timings> => {
    const contenders: Contender[] = [];
    for (const kind of kindsOf(field)) {
      for (const items of both) contenders.push(await contender(kind, { place: `${verb} ${items}`, items, times }));
    }
    return contest(contenders, rounds);
  };
  say('appending');
  const appends = await time('append', 100, appending);
  say('reading the newest items');
  const reads = await time('read', 50, reading);
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
