import { type Area, ofRows } from '../area.ts';
import { type StoreScale, storeRows } from './store-rows.ts';

const FULL: StoreScale = { entries: 100_000, rounds: 10, aRound: 200 };
const QUICK: StoreScale = { entries: 300, rounds: 2, aRound: 20 };

/** What a server of its own costs, over a real connection. */
export const redis: Area = {
  title: 'Redis: one server, on the same machine',
  async run({ quick, say }) {
    return ofRows(await storeRows(quick ? QUICK : FULL, say));
  },
};
