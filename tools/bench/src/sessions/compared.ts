import type { Timings } from '../contest.ts';
import { type Figure, figure, judged, type Row, ratios, type Target } from '../row.ts';
import { nameOf } from './race.ts';
import type { Field, SessionKind } from './session-kind.ts';

/** The times for one length of history. The ratio is the speed of Keepsake relative to the raw limit. */
export function compared(measure: string, field: Field, timings: Timings, items: number, target?: Target): Row {
  const times = (kind: SessionKind) => timesOf(kind, items, timings);
  return {
    measure,
    ...shown(field, (kind) => figure(kind.name, 'µs', times(kind))),
    ...judged(ratios(times(field.raw), times(field.keepsake)), target),
  };
}

/** The time with a long history, relative to a short one. */
export function grown(
  measure: string,
  field: Field,
  timings: Timings,
  [short, long]: readonly [number, number],
  target?: Target,
): Row {
  const growth = (kind: SessionKind) => ratios(timesOf(kind, long, timings), timesOf(kind, short, timings));
  return {
    measure,
    ...shown(field, (kind) => figure(kind.name, 'times', growth(kind))),
    ...judged(growth(field.keepsake), target),
  };
}

/** The figure of each kind. */
export function shown(field: Field, figureOf: (kind: SessionKind) => Figure): Pick<Row, 'raw' | 'keepsake' | 'peers'> {
  return {
    raw: figureOf(field.raw),
    keepsake: figureOf(field.keepsake),
    peers: Object.fromEntries(field.peers.map((peer) => [peer.column ?? peer.name, figureOf(peer)])),
  };
}

function timesOf(kind: SessionKind, items: number, timings: Timings): readonly number[] {
  const times = timings[nameOf(kind.name, items)];
  if (times === undefined) throw new Error(`${kind.name} was not measured.`);
  return times;
}
