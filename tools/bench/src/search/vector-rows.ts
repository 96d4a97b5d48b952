import type { RunOptions } from '../area.ts';
import { askChild } from '../child.ts';
import { aimed, type Figure, figure, judged, type Row, ratios, type Target } from '../row.ts';
import { raceSearches, type SearchTimes } from './race.ts';
import type { SearchScale } from './search-scale.ts';
import type { VectorFacts, VectorWork } from './vector-work.ts';
import {
  DIMENSIONS,
  keepsakeHybrid,
  keepsakeVectors,
  langchainVectors,
  rawScan,
  type VectorEngine,
} from './vectors.ts';

const RELATIVE_TIME: Target = { atMost: 1.2 };
const BYTES: Target = { atMost: 1_600, unit: 'bytes' };

/** Searches by vectors, and their memory. */
export async function vectorRows(
  { entries, rounds, vectorSearches, withPeers }: SearchScale,
  say: RunOptions['say'],
): Promise<Row[]> {
  say('searching by vectors');
  const others = withPeers ? [langchainVectors] : [];
  const all = [rawScan, keepsakeVectors, keepsakeHybrid, ...others];
  const workOf = ({ name }: VectorEngine): VectorWork => ({ vectors: name, entries, perRound: vectorSearches });
  const times = await raceSearches(all.map(workOf), rounds);
  say('measuring the memory of vectors');
  const facts = new Map<VectorEngine, VectorFacts>();
  for (const one of all) facts.set(one, await askChild('build', workOf(one), ['--expose-gc']));

  const roundsOf = ({ name }: VectorEngine) => (times.get(name) as SearchTimes).rounds;
  const time = (one: VectorEngine) => figure(one.name, 'µs', roundsOf(one));
  const bytes = (one: VectorEngine): Figure => ({
    name: one.name,
    unit: 'bytes',
    value: facts.get(one)?.bytesPerEntry ?? Number.NaN,
  });
  const peersBy = (figureOf: (one: VectorEngine) => Figure) =>
    Object.fromEntries(others.map((one) => [one.name, figureOf(one)]));
  const compared = (one: VectorEngine): Row => ({
    measure: `vectors of ${DIMENSIONS}, ${one.name}, p50, relative to the raw limit`,
    raw: time(rawScan),
    keepsake: time(one),
    ...judged(ratios(roundsOf(one), roundsOf(rawScan)), RELATIVE_TIME),
    peers: peersBy(time),
  });
  return [
    compared(keepsakeVectors),
    compared(keepsakeHybrid),
    {
      measure: `vectors of ${DIMENSIONS}, bytes per entry, ${keepsakeVectors.name}`,
      raw: bytes(rawScan),
      ...aimed(bytes(keepsakeVectors), BYTES),
      peers: peersBy(bytes),
    },
    { measure: `vectors of ${DIMENSIONS}, bytes per entry, ${keepsakeHybrid.name}`, ...aimed(bytes(keepsakeHybrid)) },
  ];
}
