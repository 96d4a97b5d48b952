import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunOptions } from '../area.ts';
import type { Figure, Row } from '../row.ts';
import { addsOf, buildAll, bytesOf } from './building.ts';
import { index, rival, store, type TextContender } from './contenders.ts';
import { peerFigures } from './peer-figures.ts';
import type { SearchScale } from './search-scale.ts';
import { p50Of, p99Of, timeSearches } from './searching.ts';

/** Searches and adds long entries, such as an assistant's answers. */
export async function longRows(scale: SearchScale, directory: string, say: RunOptions['say']): Promise<Row[]> {
  const { longEntries: entries, withPeers } = scale;
  const own = [store, index];
  const others = withPeers ? [rival] : [];
  const texts = { ...scale, entries, length: 'long' } as const;
  const empty = join(directory, 'long');
  mkdirSync(empty);
  say('searching long entries by words');
  const searches = await timeSearches([...own, ...others], texts, join(empty, 'searches'));
  const builds = await buildAll(own, others, texts, empty, say);

  const of = `${entries.toLocaleString('en')} entries of 4 kB`;
  const rows = (measure: string, figureOf: (one: TextContender) => Figure | undefined): Row[] =>
    own.flatMap((one) => {
      const keepsake = figureOf(one);
      if (keepsake === undefined) return [];
      const row: Row = { measure: `${of}, ${one.name}, ${measure}`, keepsake };
      return [one === store ? { ...row, peers: peerFigures(others, figureOf) } : row];
    });
  return [
    ...rows('search, p50', p50Of(searches)),
    ...rows('search, p99', p99Of(searches)),
    ...rows('adding', addsOf(builds)),
    ...rows('bytes per entry besides its text', bytesOf(builds)),
  ];
}
