import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunOptions } from '../area.ts';
import { askChild } from '../child.ts';
import { aimed, type Figure, figure, judged, type Row, ratios, type Target } from '../row.ts';
import { addsOf, type Builds, buildAll, bytesOf } from './building.ts';
import { files, index, peers, rival, store, storeInBatches, storeOfTurns, type TextContender } from './contenders.ts';
import { peerFigures } from './peer-figures.ts';
import type { SearchTimes } from './race.ts';
import type { SearchScale } from './search-scale.ts';
import { p50Of, p99Of, type Searches, timeSearches } from './searching.ts';
import type { SearchWork } from './work.ts';

const P50: Target = { atMost: 0.15, unit: 'ms' };
const P99: Target = { atMost: 1.5, unit: 'ms' };
const P50_OF_TURNS: Target = { atMost: 0.5, unit: 'ms' };
const TIMES_THE_RIVAL: Target = { atLeast: 20 };
const ADDS: Target = { atLeast: 80_000, unit: '/s' };
const BYTES: Target = { atMost: 300, unit: 'bytes' };
const REOPEN: Target = { atMost: 0.3, unit: 's' };

/** Searches by words, and the cost of adding and reopening entries. */
export async function textRows(scale: SearchScale, directory: string, say: RunOptions['say']): Promise<Row[]> {
  const others = scale.withPeers ? peers : [];
  const texts = { ...scale, length: 'short' } as const;
  say('searching by words');
  const searches = await timeSearches([store, index, storeOfTurns, ...others], texts, emptyIn(directory, 'searches'));
  const own = [store, storeInBatches, storeOfTurns, index, files];
  const builds = await buildAll(own, others, texts, directory, say);
  return [
    ...searchRows(searches, others),
    ...buildRows(builds, others),
    ...(await reopenRows(scale, others, builds, say)),
  ];
}

function searchRows(searches: Searches, others: readonly TextContender[]): Row[] {
  const [p50, p99] = [p50Of(searches), p99Of(searches)];
  const row = (
    measure: string,
    figureOf: (one: TextContender) => Figure | undefined,
    one: TextContender,
    target?: Target,
  ): Row[] => {
    const own = figureOf(one);
    return own === undefined ? [] : [{ measure, ...aimed(own, target) }];
  };
  const roundsOf = (one: TextContender) => (searches.get(one) as SearchTimes).rounds;
  const vsRival = (one: TextContender): Row => ({
    measure: `search, ${one.name} vs. ${rival.name}, p50`,
    keepsake: p50(one),
    ...judged(ratios(roundsOf(rival), roundsOf(one)), TIMES_THE_RIVAL),
  });
  return [
    ...row('search, InMemoryStore, p50', p50, store, P50).map((row) => ({ ...row, peers: peerFigures(others, p50) })),
    ...row('search, InMemoryStore, p99', p99, store, P99).map((row) => ({ ...row, peers: peerFigures(others, p99) })),
    ...row('search, LexicalIndex, p50', p50, index, P50),
    ...row('search, LexicalIndex, p99', p99, index, P99),
    ...row('search, InMemoryStore of turns, p50', p50, storeOfTurns, P50_OF_TURNS),
    ...row('search, InMemoryStore of turns, p99', p99, storeOfTurns),
    ...(searches.has(rival) ? [vsRival(store), vsRival(index)] : []),
  ];
}

function buildRows(builds: Builds, others: readonly TextContender[]): Row[] {
  const [adds, bytes] = [addsOf(builds), bytesOf(builds)];
  return [
    { measure: 'adding, InMemoryStore, put', ...aimed(adds(store)), peers: peerFigures(others, adds) },
    { measure: 'adding, InMemoryStore, putMany', ...aimed(adds(storeInBatches), ADDS) },
    { measure: 'adding, InMemoryStore of turns, put', ...aimed(adds(storeOfTurns)) },
    { measure: 'adding, LexicalIndex', ...aimed(adds(index), ADDS) },
    { measure: 'adding, FileStore, putMany', ...aimed(adds(files)) },
    {
      measure: 'bytes per entry besides its text, InMemoryStore',
      ...aimed(bytes(store)),
      peers: peerFigures(others, bytes),
    },
    { measure: 'bytes per entry besides its text, InMemoryStore of turns', ...aimed(bytes(storeOfTurns)) },
    { measure: 'bytes per entry besides its text, LexicalIndex', ...aimed(bytes(index), BYTES) },
    { measure: 'bytes per entry besides its text, FileStore', ...aimed(bytes(files)) },
  ];
}

async function reopenRows(
  { entries, reopenings }: SearchScale,
  others: readonly TextContender[],
  builds: Builds,
  say: RunOptions['say'],
): Promise<Row[]> {
  say('reopening saved indexes');
  const all = [files, index, ...others];
  const times = new Map<TextContender, number[]>(all.map((one) => [one, []]));
  for (let round = 0; round < reopenings; round++) {
    for (const one of all) {
      const directory = builds.get(one)?.directory as string;
      const work: SearchWork = { contender: one.name, entries, length: 'short', directory, perRound: 0 };
      times.get(one)?.push(await askChild<SearchWork, number>('reopen', work));
    }
  }
  const opening = (one: TextContender) => figure(one.name, 'µs', times.get(one) ?? []);
  return [
    {
      measure: 'reopen and search once, FileStore',
      ...aimed(opening(files), REOPEN),
      peers: peerFigures(others, opening),
    },
    { measure: 'reopen and search once, LexicalIndex', ...aimed(opening(index), REOPEN) },
  ];
}

function emptyIn(directory: string, name: string): string {
  const path = join(directory, name);
  mkdirSync(path);
  return path;
}
