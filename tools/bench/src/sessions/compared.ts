import type { Timings } from '../contest.ts';
import { type Figure, figure, judged, type Row, ratios, type Target } from '../row.ts';
import { nameOf } from './race.ts';
import type { Field, SessionKind } from './session-kind.ts';

/** The times at histories of one length. The ratio says how fast Keepsake is, where the raw limit is 1. */
export function compared(measure: string, field: Field, timings: Timings, items: number, target?: Target): Row {
  const times = (kind: SessionKind) => timesOf(kind, items, timings);
  return {
    measure,
    ...shown(field, (kind) => figure(kind.name, 'µs', times(kind))),
    ...judged(ratios(times(field.raw), times(field.keepsake)), target),
  };
}

/** How many times as long it takes at a long history as at a short one. */
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

/** A figure of each. */
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
