import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunOptions } from '../area.ts';
import { askChild } from '../child.ts';
import { aimed, type Figure, figure, judged, type Row, ratios, type Target } from '../row.ts';
import { median } from '../statistics.ts';
import { files, index, peers, rival, store, storeInBatches, storeOfTurns, type TextContender } from './contenders.ts';
import { raceSearches, type SearchTimes } from './race.ts';
import type { SearchScale } from './search.ts';
import type { BuildFacts, SearchWork } from './work.ts';

const P50: Target = { atMost: 0.15, unit: 'ms' };
const P99: Target = { atMost: 1.5, unit: 'ms' };
const P50_OF_TURNS: Target = { atMost: 0.5, unit: 'ms' };
const TIMES_THE_RIVAL: Target = { atLeast: 20 };
const ADDS: Target = { atLeast: 80_000, unit: '/s' };
const BYTES: Target = { atMost: 300, unit: 'bytes' };
const REOPEN: Target = { atMost: 0.3, unit: 's' };

/** Searches by words, and what it takes to add entries and to open them again. */
export async function textRows(scale: SearchScale, directory: string, say: RunOptions['say']): Promise<Row[]> {
  const others = scale.withPeers ? peers : [];
  const searching = await searchRows(scale, others, emptyIn(directory, 'searches'), say);
  const built = await buildAll(scale, others, directory, say);
  return [...searching, ...buildRows(built, others), ...(await reopenRows(scale, others, built, say))];
}

async function searchRows(
  { entries, rounds, searches, withPeers }: SearchScale,
  others: readonly TextContender[],
  directory: string,
  say: RunOptions['say'],
): Promise<Row[]> {
  say('searching by words');
  const works = [store, index, storeOfTurns, ...others].map(
    ({ name }): SearchWork => ({
      contender: name,
      entries,
      directory: emptyIn(directory, name),
      aRound: searches,
    }),
  );
  const all = await raceSearches(works, rounds);
  const timesOf = ({ name }: TextContender) => all.get(name) as SearchTimes;
  const p50 = (one: TextContender): Figure => {
    const { rounds, p50 } = timesOf(one);
    return { ...figure(one.name, 'µs', rounds), value: p50 };
  };
  const p99 = (one: TextContender): Figure | undefined => {
    const { p99 } = timesOf(one);
    return p99 === undefined ? undefined : { name: one.name, unit: 'µs', value: p99 };
  };
  const row = (
    measure: string,
    figureOf: (one: TextContender) => Figure | undefined,
    one: TextContender,
    target?: Target,
  ): Row[] => {
    const own = figureOf(one);
    return own === undefined ? [] : [{ measure, ...aimed(own, target) }];
  };
  const against = (one: TextContender): Row => ({
    measure: `search, ${one.name} against ${rival.name}, p50`,
    keepsake: p50(one),
    ...judged(ratios(timesOf(rival).rounds, timesOf(one).rounds), TIMES_THE_RIVAL),
  });
  return [
    ...row('search, InMemoryStore, p50', p50, store, P50).map((row) => ({ ...row, peers: shown(others, p50) })),
    ...row('search, InMemoryStore, p99', p99, store, P99).map((row) => ({ ...row, peers: shown(others, p99) })),
    ...row('search, LexicalIndex, p50', p50, index, P50),
    ...row('search, LexicalIndex, p99', p99, index, P99),
    ...row('search, InMemoryStore of turns, p50', p50, storeOfTurns, P50_OF_TURNS),
    ...row('search, InMemoryStore of turns, p99', p99, storeOfTurns),
    ...(withPeers ? [against(store), against(index)] : []),
  ];
}

/** What one came to, build by build, and where the first of them was saved. */
interface Built {
  readonly facts: readonly BuildFacts[];
  readonly directory: string;
}

async function buildAll(
  { entries, builds, peerBuilds }: SearchScale,
  others: readonly TextContender[],
  directory: string,
  say: RunOptions['say'],
): Promise<Map<TextContender, Built>> {
  const own = [store, storeInBatches, storeOfTurns, index, files];
  const all = [...own, ...others];
  const facts = new Map<TextContender, BuildFacts[]>(all.map((one) => [one, []]));
  const directoryOf = (one: TextContender, build: number) => join(directory, `build-${all.indexOf(one)}-${build}`);
  for (let build = 0; build < builds; build++) {
    for (const one of build < peerBuilds ? all : own) {
      say(`adding entries, ${one.name}`);
      const empty = directoryOf(one, build);
      mkdirSync(empty);
      const work: SearchWork = { contender: one.name, entries, directory: empty, aRound: 0 };
      facts.get(one)?.push(await askChild<SearchWork, BuildFacts>('build', work, ['--expose-gc']));
    }
  }
  return new Map(all.map((one) => [one, { facts: facts.get(one) ?? [], directory: directoryOf(one, 0) }]));
}

function buildRows(built: ReadonlyMap<TextContender, Built>, others: readonly TextContender[]): Row[] {
  const factsOf = (one: TextContender) => built.get(one)?.facts ?? [];
  const adds = (one: TextContender) =>
    figure(
      one.name,
      '/s',
      factsOf(one).map(({ addsPerSecond }) => addsPerSecond),
    );
  const bytes = (one: TextContender): Figure => {
    const value = median(factsOf(one).map(({ bytesAnEntry }) => bytesAnEntry));
    const inFiles = factsOf(one).some(({ inFiles }) => inFiles);
    return { name: one.name, unit: 'bytes', value, ...(inFiles ? { note: `${Math.round(value)} B of a file` } : {}) };
  };
  return [
    { measure: 'adding, InMemoryStore, put', ...aimed(adds(store)), peers: shown(others, adds) },
    { measure: 'adding, InMemoryStore, putMany', ...aimed(adds(storeInBatches), ADDS) },
    { measure: 'adding, InMemoryStore of turns, put', ...aimed(adds(storeOfTurns)) },
    { measure: 'adding, LexicalIndex', ...aimed(adds(index), ADDS) },
    { measure: 'adding, FileStore, putMany', ...aimed(adds(files)) },
    {
      measure: 'bytes an entry beside its text, InMemoryStore',
      ...aimed(bytes(store)),
      peers: shown(others, bytes),
    },
    { measure: 'bytes an entry beside its text, InMemoryStore of turns', ...aimed(bytes(storeOfTurns)) },
    { measure: 'bytes an entry beside its text, LexicalIndex', ...aimed(bytes(index), BYTES) },
    { measure: 'bytes an entry beside its text, FileStore', ...aimed(bytes(files)) },
  ];
}

async function reopenRows(
  { entries, reopenings }: SearchScale,
  others: readonly TextContender[],
  built: ReadonlyMap<TextContender, Built>,
  say: RunOptions['say'],
): Promise<Row[]> {
  say('opening what was saved');
  const all = [files, index, ...others];
  const times = new Map<TextContender, number[]>(all.map((one) => [one, []]));
  for (let round = 0; round < reopenings; round++) {
    for (const one of all) {
      const directory = built.get(one)?.directory as string;
      const work: SearchWork = { contender: one.name, entries, directory, aRound: 0 };
      times.get(one)?.push(await askChild<SearchWork, number>('reopen', work));
    }
  }
  const opening = (one: TextContender) => figure(one.name, 'µs', times.get(one) ?? []);
  return [
    { measure: 'reopen and search once, FileStore', ...aimed(opening(files), REOPEN), peers: shown(others, opening) },
    { measure: 'reopen and search once, LexicalIndex', ...aimed(opening(index), REOPEN) },
  ];
}

/** The figures of peers that have one, by column. */
function shown(
  others: readonly TextContender[],
  figureOf: (one: TextContender) => Figure | undefined,
): Record<string, Figure> {
  return Object.fromEntries(
    others.flatMap((one) => {
      const own = figureOf(one);
      return own === undefined ? [] : [[one.name, own] as const];
    }),
  );
}

function emptyIn(directory: string, name: string): string {
  const path = join(directory, name);
  mkdirSync(path);
  return path;
}
