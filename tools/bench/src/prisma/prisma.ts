import { type Area, ofRows, type RunOptions } from '../area.ts';
import { type SessionTargets, sessionRows } from '../backends/session-rows.ts';
import { type StoreScale, type StoreTargets, storeRows } from '../backends/store-rows.ts';
import type { Row } from '../row.ts';
import { FULL, QUICK, type Scale } from '../sessions/scale.ts';
import { atOnceRows } from './at-once-rows.ts';
import { openPostgres, openSqlite } from './databases.ts';
import { postgresStore, sqliteStore } from './prisma-stores.ts';
import { postgresKinds, sqliteKinds } from './session-kinds.ts';

const FULL_STORES: StoreScale = { entries: 100_000, rounds: 10, perRound: 100 };
const QUICK_STORES: StoreScale = { entries: 300, rounds: 2, perRound: 20 };

const SESSIONS: SessionTargets = {
  append: { atLeast: 0.6 },
  peers: { 'example PrismaSession, stand-in': { atLeast: 5 } },
  newest: { atLeast: 1 / 1.5 },
};
const AT_ONCE = { atLeast: 0.5 };
const STORES: StoreTargets = { p50: { atMost: 10, unit: 'ms' } };

/** Sessions and stores in PostgreSQL and SQLite through Prisma, with databases that wait for the disk. */
export const prisma: Area = {
  title: 'Prisma: sessions, where a turn is two items, together about 1 KB; and stores',
  async run({ quick, directory, say }) {
    const scale = quick ? QUICK : FULL;
    const stores = quick ? QUICK_STORES : FULL_STORES;
    return ofRows([
      ...(await sessionsInPostgres(scale, say)),
      ...(await sessionsInSqlite(directory, scale, say)),
      ...(await storeRows(postgresStore, stores, STORES, say)),
      ...(await storeRows(sqliteStore(directory), { ...stores, rounds: 2 }, {}, say)),
    ]);
  },
};

async function sessionsInPostgres(scale: Scale, say: RunOptions['say']): Promise<Row[]> {
  const database = await openPostgres();
  try {
    const { peers, ...own } = await postgresKinds(database);
    const rows = await sessionRows({ ...own, peers: scale.withPeers ? peers : [] }, scale, SESSIONS, say);
    // The example loses most of the concurrent appends.
    const others = peers.filter(({ name }) => !name.startsWith('example'));
    const crowd = { ...own, peers: scale.withPeers ? others : [] };
    return on('PostgreSQL', [...rows, ...(await atOnceRows(crowd, scale.rounds, AT_ONCE, say))]);
  } finally {
    await database.close();
  }
}

async function sessionsInSqlite(directory: string, scale: Scale, say: RunOptions['say']): Promise<Row[]> {
  const database = await openSqlite(directory);
  try {
    const field = await sqliteKinds(database);
    const rows = await sessionRows(field, scale, {}, say);
    return on('SQLite', [...rows, ...(await atOnceRows(field, scale.rounds, undefined, say))]);
  } finally {
    await database.close();
  }
}

/** A row that starts with `…` belongs to the one before it. */
function on(database: string, rows: readonly Row[]): Row[] {
  return rows.map((row) => (row.measure.startsWith('…') ? row : { ...row, measure: `${database}, ${row.measure}` }));
}
