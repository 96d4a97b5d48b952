import type { Timings } from '../contest.ts';
import type { Row, Target } from '../row.ts';
import { compared, grown } from './compared.ts';
import type { Histories } from './histories.ts';
import { raceSessions } from './race.ts';
import { inWords, type Scale } from './scale.ts';
import { type Field, kindsOf, type SessionKind } from './session-kind.ts';
import type { Work } from './work.ts';

/** How much to append, and what else to compare. */
export interface AppendPlan {
  readonly histories: Histories;
  readonly scale: Scale;
  /** The turns per session in a round, and the number of sessions with a short history. */
  readonly turns: number;
  readonly sessions: number;
  /** A raw call that is shown without a target. */
  readonly also?: SessionKind;
  /** A peer, and the required speed-up of Keepsake at the long history. */
  readonly rival?: { readonly peer: SessionKind; readonly times: number };
}

/** Appends turns one by one, to a short and to a long history. */
export async function appendRows(measure: string, field: Field, target: Target, plan: AppendPlan): Promise<Row[]> {
  const { scale, also } = plan;
  const { short, long, rounds } = scale;
  const timings = await raceSessions(await works([...kindsOf(field), ...(also ? [also] : [])], plan), rounds);
  const rowsAt = (items: number) => [
    compared(`${measure}, at ${inWords(items)}`, field, timings, items, target),
    ...(also ? [compared(`… vs. ${also.name}`, { ...field, raw: also, peers: [] }, timings, items)] : []),
  ];
  return [
    ...rowsAt(short),
    ...rowsAt(long),
    ...rivalRow(field, timings, plan),
    grown(`${measure}, at ${inWords(long)} vs. at ${inWords(short)}`, field, timings, [short, long], { atMost: 1.5 }),
  ];
}

async function works(
  kinds: readonly SessionKind[],
  { histories, scale, turns, sessions }: AppendPlan,
): Promise<Work[]> {
  const works: Work[] = [];
  for (const kind of kinds) {
    const toNew = { kind: kind.name, does: 'appendToNew', items: scale.short, directory: histories.empty() } as const;
    works.push({ ...toNew, times: turns, sessions });
    const directory = await histories.toWrite(kind, scale.long);
    works.push({ kind: kind.name, does: 'appendToOld', items: scale.long, directory, times: turns * sessions });
  }
  return works;
}

/** The ratio is to the peer instead of the raw limit. */
function rivalRow({ keepsake }: Field, timings: Timings, { scale, rival }: AppendPlan): Row[] {
  if (rival === undefined) return [];
  const { peer, times } = rival;
  const field = { raw: peer, keepsake, peers: [peer] };
  const { raw: _, ...row } = compared(`… vs. ${peer.name}`, field, timings, scale.long, { atLeast: times });
  return [row];
}
