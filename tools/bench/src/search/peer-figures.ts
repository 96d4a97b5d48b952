import type { Figure } from '../row.ts';
import type { TextContender } from './contenders.ts';

/** The figures of the peers, by column. */
export function peerFigures(
  peers: readonly TextContender[],
  figureOf: (one: TextContender) => Figure | undefined,
): Record<string, Figure> {
  return Object.fromEntries(
    peers.flatMap((one) => {
      const own = figureOf(one);
      return own === undefined ? [] : [[one.name, own] as const];
    }),
  );
}
