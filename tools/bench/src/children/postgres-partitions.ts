// Compares tables with and without partitions. Arguments: how many records, and in how many namespaces.
import type { RecordStore } from '@keepsake/core';
import { PrismaSession, PrismaStore } from '@keepsake/prisma';
import { clocked } from '../measure.ts';
import { openPostgres, type PostgresDatabase } from '../prisma/databases.ts';
import { randomNumbers } from '../random.ts';
import { fillNamespaces } from '../scale/fill-namespaces.ts';
import { QUERIES } from '../scale/records.ts';
import { median } from '../statistics.ts';

const CALLS = 200;
const PATIENCE_MS = 10_000;

const [count, namespaces] = process.argv.slice(2).map(Number) as [number, number];

for (const partitioned of [false, true]) {
  const database = await openPostgres({ partitioned });
  const figures = { ...(await timesIn(database)), 'bytes a record': await bytesIn(database) };
  console.log(partitioned ? 'with 16 partitions' : 'without partitions', figures);
  await database.close();
}

/** In microseconds. */
async function timesIn({ preparing: prisma }: PostgresDatabase): Promise<Record<string, number>> {
  const store = new PrismaStore({ prisma, name: 'bench' });
  const random = randomNumbers(1);
  const start = performance.now();
  await fillNamespaces(store, count, namespaces);
  const times: Record<string, number> = { 'put, a record': Math.round(((performance.now() - start) / count) * 1_000) };
  const calls: Record<string, (user: number) => Promise<unknown>> = {
    get: (user) => within(store, user).get(`record-${Math.floor((user * count) / namespaces)}`),
    'list of 20': (user) => within(store, user).list({ limit: 20 }),
    'search, three words': (user) => within(store, user).search(QUERIES.common, { maxSearchResults: 5 }),
    append: (user) => new PrismaSession({ prisma, sessionId: `session-${user}` }).addItems([{ text: 'hello' }]),
    'last 20 items': (user) => new PrismaSession({ prisma, sessionId: `session-${user}` }).getItems(20),
  };
  for (const [name, call] of Object.entries(calls)) {
    const each = await clocked(CALLS, () => call(Math.floor(random() * namespaces)), PATIENCE_MS);
    times[name] = Math.round(median(each));
  }
  return times;
}

function within(store: RecordStore, user: number): RecordStore {
  return store.within(['user', `user-${user}`]);
}

async function bytesIn({ pool }: PostgresDatabase): Promise<number> {
  await pool.query('VACUUM FULL');
  const { rows } = await pool.query<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(relid))::float AS bytes FROM pg_stat_user_tables WHERE relname LIKE 'keepsake%'`,
  );
  return Math.round((rows[0]?.bytes ?? 0) / count);
}
