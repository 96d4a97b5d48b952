import { type Area, ofRows } from '../area.ts';
import { floodRows, injectRows, searchRows, turnRows } from './rows.ts';
import type { Scale } from './scale.ts';

const FULL: Scale = { rounds: 20, records: 10_000, floods: 3, turns: [10_000, 50_000], withPeers: true };
const QUICK: Scale = { rounds: 2, records: 200, floods: 1, turns: [200, 400], withPeers: false };

/** The cost of the memory manager, without that of its stores and models. */
export const manager: Area = {
  title: 'Manager: its overhead on searches, injections and turns of about 1 KB',
  async run({ quick, directory, say }) {
    const scale = quick ? QUICK : FULL;
    say('searching');
    const rows = await searchRows(scale);
    say('injecting');
    rows.push(...(await injectRows(scale)));
    say('ending turns');
    rows.push(...(await turnRows(scale, directory)));
    say('observing more turns than can be saved');
    rows.push(...(await floodRows(scale)));
    return ofRows(rows);
  },
};
