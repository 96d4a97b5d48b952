import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Area, ofRows } from '../area.ts';
import { FULL as FULL_SESSIONS, QUICK as QUICK_SESSIONS } from '../sessions/scale.ts';
import { driverRows } from './driver-rows.ts';
import type { SqliteScale } from './scale.ts';
import { sessionRows } from './session-rows.ts';
import { storeRows } from './store-rows.ts';

const FULL: SqliteScale = {
  sessions: { ...FULL_SESSIONS, long: 1_000_000 },
  stores: { entries: 100_000, most: 1_000_000, rounds: 10, searches: 200, puts: 100, builds: 3, withPeers: true },
};

const QUICK: SqliteScale = {
  sessions: QUICK_SESSIONS,
  stores: { entries: 300, most: 0, rounds: 2, searches: 100, puts: 20, builds: 1, withPeers: false },
};

/** Sessions and stores in one SQLite file. */
export const sqlite: Area = {
  title: 'SQLite: sessions, where a turn is two items, together about 1 KB; and stores',
  async run({ quick, directory, say }) {
    const { sessions, stores } = quick ? QUICK : FULL;
    const inOwn = (name: string) => {
      const path = join(directory, name);
      mkdirSync(path);
      return path;
    };
    return ofRows([
      ...(await sessionRows(sessions, inOwn('sessions'), say)),
      ...(await driverRows(quick ? QUICK_SESSIONS : FULL_SESSIONS, inOwn('drivers'), say)),
      ...(await storeRows(stores, inOwn('stores'), say)),
    ]);
  },
};
