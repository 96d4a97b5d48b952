import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { PrismaStore } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';

const shared = sharedDatabase('PostgreSQL');

it('clear() removes all of a batch that replaces records at the same time, or nothing of it', async () => {
  const { prisma } = shared.database;
  const store = new PrismaStore({ prisma, name: 'memory', namespace: ['cleared'] });
  await store.putMany([
    { id: 'a', content: 'heron' },
    { id: 'b', content: 'heron' },
  ]);
  let clearing: Promise<number> | undefined;
  // The batch is written, but not committed yet.
  await prisma.$transaction(async (transaction) => {
    const writer = new PrismaStore({ prisma: transaction, name: 'memory', namespace: ['cleared'] });
    await writer.putMany([
      { id: 'b', content: 'tern' },
      { id: 'c', content: 'tern' },
    ]);
    clearing = store.clear();
    await untilWaiting();
  });
  const count = await clearing;
  const { items } = await store.list();
  expect({ count, left: items.map(({ id }) => id) }).toEqual({ count: 3, left: [] });
});

/** Resolves when a statement waits for a lock of another transaction. */
async function untilWaiting(): Promise<void> {
  for (;;) {
    const waiting = await shared.database.prisma.$queryRawUnsafe<unknown[]>(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    if (waiting.length > 0) return;
    await sleep(10);
  }
}
