import { type Area, ofRows } from '../area.ts';
import type { Figure, Row } from '../row.ts';
import { closedTokens, onceTokens, rereadTokens, type Talk } from './phase-one.ts';

const REREADER = 'rereads all turns';

const FULL = { turns: 200, closes: 20 };
const QUICK = { turns: 20, closes: 2 };

/** The cost of distilling a conversation that is closed repeatedly. */
export const workspace: Area = {
  title: 'Workspace memory: the cost of phase 1 for a conversation that is closed repeatedly',
  async run({ quick, say }) {
    const scale = quick ? QUICK : FULL;
    const rows: Row[] = [];
    for (const [what, talk] of [
      ['notes of 250 words', { ...scale, outputBytes: 1_300, noteWords: 250, sinceWords: 150 }],
      ['notes of 500 words', { ...scale, outputBytes: 1_300, noteWords: 500, sinceWords: 200 }],
      ['notes of 250 words, turns of half the size', { ...scale, outputBytes: 400, noteWords: 250, sinceWords: 150 }],
    ] as const) {
      say(what);
      const measure = `${scale.turns} turns closed ${scale.closes} times, ${what}`;
      rows.push(await row(measure, talk, { hasTarget: !what.includes('half'), hasPeer: !quick }));
    }
    return ofRows(rows);
  },
};

async function row(
  measure: string,
  talk: Talk,
  { hasTarget, hasPeer }: { readonly hasTarget: boolean; readonly hasPeer: boolean },
): Promise<Row> {
  const [once, closed] = [await onceTokens(talk), await closedTokens(talk)];
  const ratio = { value: closed / once, spread: 0 };
  return {
    measure,
    raw: tokens('closed once', once),
    keepsake: tokens('Keepsake', closed),
    peers: hasPeer ? { [REREADER]: await reread(talk, once) } : {},
    ratio,
    ...(hasTarget && { target: { atMost: 1.5 }, met: ratio.value <= 1.5 }),
  };
}

/** The cost of reading the whole conversation each time. */
async function reread(talk: Talk, once: number): Promise<Figure> {
  const again = await rereadTokens(talk);
  return { ...tokens(REREADER, again), note: `× ${(again / once).toFixed(1)}` };
}

function tokens(name: string, value: number): Figure {
  return { name, value, unit: 'tokens' };
}
