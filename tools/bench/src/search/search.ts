import { type Area, ofRows } from '../area.ts';
import { longRows } from './long-rows.ts';
import type { SearchScale } from './search-scale.ts';
import { textRows } from './text-rows.ts';
import { vectorRows } from './vector-rows.ts';

const FULL: SearchScale = {
  entries: 100_000,
  longEntries: 10_000,
  rounds: 10,
  searches: 400,
  vectorSearches: 10,
  builds: 3,
  peerBuilds: 2,
  reopenings: 3,
  withPeers: true,
};

const QUICK: SearchScale = {
  entries: 300,
  longEntries: 30,
  rounds: 2,
  searches: 100,
  vectorSearches: 2,
  builds: 1,
  peerBuilds: 0,
  reopenings: 1,
  withPeers: false,
};

/** The speed of searches and the cost of building the index. */
export const search: Area = {
  title: 'Search: the best 5 of many entries',
  async run({ quick, directory, say }) {
    const scale = quick ? QUICK : FULL;
    return ofRows([
      ...(await textRows(scale, directory, say)),
      ...(await longRows(scale, directory, say)),
      ...(await vectorRows(scale, say)),
    ]);
  },
};
