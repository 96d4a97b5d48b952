import { type Area, ofRows } from '../area.ts';
import { floodRows, injectRows, searchRows, turnRows } from './rows.ts';

/** How much, how often, and with whom. */
export interface Scale {
  readonly rounds: number;
  /** Of the store that is searched. */
  readonly records: number;
  /** How often a process is flooded, and with how many turns: so that the buffer is full, and many more. */
  readonly floods: number;
  readonly turns: readonly [number, number];
  readonly withPeers: boolean;
}

const FULL: Scale = { rounds: 20, records: 10_000, floods: 3, turns: [10_000, 50_000], withPeers: true };
const QUICK: Scale = { rounds: 2, records: 200, floods: 1, turns: [200, 400], withPeers: false };

/** What the memory manager costs beside its stores and models. */
export const manager: Area = {
  title: 'Manager: what it adds to the stores, and to a turn of about 1 KB',
  async run({ quick, directory, say }) {
    const scale = quick ? QUICK : FULL;
    say('searching');
    const rows = await searchRows(scale);
    say('injecting');
    rows.push(...(await injectRows(scale)));
    say('ending turns');
    rows.push(...(await turnRows(scale, directory)));
    say('more turns than can be saved');
    rows.push(...(await floodRows(scale)));
    return ofRows(rows);
  },
};
