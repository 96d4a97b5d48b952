import { type Area, ofRows } from '../area.ts';
import type { Figure, Row } from '../row.ts';
import { closedTokens, onceTokens, rereadTokens, type Talk } from './phase-one.ts';

const FULL = { turns: 200, closes: 20 };
const QUICK = { turns: 20, closes: 2 };

/** What distilling a conversation costs that is closed again and again. */
export const workspace: Area = {
  title: 'Workspace memory: what phase 1 costs of a conversation that is closed again and again',
  async run({ quick, say }) {
    const scale = quick ? QUICK : FULL;
    const rows: Row[] = [];
    for (const [what, talk] of [
      ['notes of 250 words', { ...scale, outputBytes: 1_300, noteWords: 250, sinceWords: 150 }],
      ['notes of 500 words', { ...scale, outputBytes: 1_300, noteWords: 500, sinceWords: 200 }],
      ['notes of 250 words, turns of half the size', { ...scale, outputBytes: 400, noteWords: 250, sinceWords: 150 }],
    ] as const) {
      say(what);
      rows.push(await row(`${scale.turns} turns closed ${scale.closes} times, ${what}`, talk, !what.includes('half')));
    }
    return ofRows(rows);
  },
};

async function row(measure: string, talk: Talk, hasTarget: boolean): Promise<Row> {
  const [once, closed, again] = [await onceTokens(talk), await closedTokens(talk), await rereadTokens(talk)];
  const ratio = { value: closed / once, spread: 0 };
  return {
    measure,
    raw: tokens('closed once', once),
    keepsake: tokens('Keepsake', closed),
    peers: { 'reads all again': { ...tokens('reads all again', again), note: `× ${(again / once).toFixed(1)}` } },
    ratio,
    ...(hasTarget && { target: { atMost: 1.5 }, met: ratio.value <= 1.5 }),
  };
}

function tokens(name: string, value: number): Figure {
  return { name, value, unit: 'tokens' };
}
