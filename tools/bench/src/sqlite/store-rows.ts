import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteStore } from '@keepsake/sqlite';
import type { RunOptions } from '../area.ts';
import { putBothWays } from '../backends/store-rows.ts';
import { aimed, type Figure, figure, judged, type Row, ratios, type Target } from '../row.ts';
import { addsOf, type Builds, buildAll, bytesOf } from '../search/building.ts';
import {
  files,
  fullText,
  fullTextSameStopWords,
  sqliteStore,
  sqliteStoreOfTurns,
  type TextContender,
} from '../search/contenders.ts';
import { peerFigures } from '../search/peer-figures.ts';
import { raceSearches, type SearchTimes } from '../search/race.ts';
import { p50Of, p99Of, type Searches } from '../search/searching.ts';
import { makeTexts } from '../search/texts.ts';
import type { StoresScale } from './scale.ts';

const P50: Target = { atMost: 3, unit: 'ms' };
const P50_OF_MOST: Target = { atMost: 10, unit: 'ms' };
const ADDS: Target = { atLeast: 30_000, unit: '/s' };

/** Contenders with the same texts. */
interface Field {
  readonly entries: number;
  readonly own: readonly TextContender[];
  readonly others: readonly TextContender[];
  readonly p50: Target;
}

/** Searches of stores, and the cost of adding records to them. */
export async function storeRows(scale: StoresScale, directory: string, say: RunOptions['say']): Promise<Row[]> {
  const { entries, most, withPeers } = scale;
  const own = [sqliteStore, sqliteStoreOfTurns];
  const others = withPeers ? [files, fullText, fullTextSameStopWords] : [];
  const rows = [
    ...(await fieldRows({ entries, own, others, p50: P50 }, scale, directory, say)),
    await putRow(scale, directory, say),
  ];
  if (most === 0) return rows;
  const largest = { entries: most, own: [sqliteStore], others: [fullTextSameStopWords], p50: P50_OF_MOST };
  return [...rows, ...(await fieldRows(largest, { ...scale, builds: 1 }, directory, say))];
}

async function fieldRows(field: Field, scale: StoresScale, directory: string, say: RunOptions['say']): Promise<Row[]> {
  const { entries, own, others, p50 } = field;
  const parent = join(directory, `stores-${entries}`);
  mkdirSync(parent);
  const texts = { ...scale, entries, length: 'short', peerBuilds: 1 } as const;
  const builds = await buildAll(own, others, texts, parent, say);
  const of = (measure: string) => `${entries.toLocaleString('en')} records, ${measure}`;
  const rows: Row[] = [];
  for (const withCommonest of [false, true]) {
    const what = withCommonest ? 'search with the 3 commonest words' : 'search';
    say(of(what));
    const searches = await timeBuilt(field, withCommonest, builds, scale);
    rows.push(...rowsFor(field, `${of(what)}, p50`, p50Of(searches), p50));
    rows.push(...rowsFor(field, `${of(what)}, p99`, p99Of(searches)));
  }
  return [
    ...rows,
    ...rowsFor(field, of('putMany of 500'), addsOf(builds), ADDS),
    ...rowsFor(field, of('bytes a record beside its text'), bytesOf(builds)),
  ];
}

/** A row for each of Keepsake's stores, the first one with the others beside it. */
function rowsFor(
  { own, others }: Field,
  measure: string,
  figureOf: (one: TextContender) => Figure | undefined,
  target?: Target,
): Row[] {
  return own.flatMap((one, place) => {
    const keepsake = figureOf(one);
    if (keepsake === undefined) return [];
    const row: Row = { measure: `${one.name}, ${measure}`, ...aimed(keepsake, target) };
    return [place === 0 ? { ...row, peers: peerFigures(others, figureOf) } : row];
  });
}

/** Searches what was built. */
async function timeBuilt(
  { entries, own, others }: Field,
  withCommonest: boolean,
  builds: Builds,
  { rounds, searches: perRound }: StoresScale,
): Promise<Searches> {
  const all = [...own, ...others];
  const works = all.map((one) => ({
    ...({ contender: one.name, entries, length: 'short', perRound, isBuilt: true, withCommonest } as const),
    directory: builds.get(one)?.directory as string,
  }));
  const times = await raceSearches(works, rounds);
  return new Map(all.map((one) => [one, times.get(one.name) as SearchTimes]));
}

/** Single puts, each on the disk when it is acknowledged, beside batches. */
async function putRow(
  { entries: count, rounds, puts }: StoresScale,
  directory: string,
  say: RunOptions['say'],
): Promise<Row> {
  say('putting one record at a time');
  const { entries } = makeTexts(count);
  const store = new SqliteStore({ file: join(directory, 'puts.db'), name: 'bench' });
  const { singles, batched } = await putBothWays(store, entries, { entries: count, rounds, perRound: puts });
  return {
    measure: 'SqliteStore of turns, putMany of 500 against single puts, a record',
    raw: figure('put', 'µs', singles),
    keepsake: figure('putMany', 'µs', batched),
    ...judged(ratios(singles, batched)),
  };
}
