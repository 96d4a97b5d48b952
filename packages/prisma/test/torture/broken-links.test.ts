import { setTimeout as sleep } from 'node:timers/promises';
import { isMemoryError } from '@keepsake/core';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { expect, it } from 'vitest';
import { PrismaSession } from '../../src/index.ts';
import { countingCollisions, sharedDatabase } from '../databases.ts';

const shared = sharedDatabase('PostgreSQL');

const CUTS = rounds(50);

/** The number of calls whose connection broke. */
let failures = 0;

const CUT_ALL =
  'SELECT count(pg_terminate_backend(pid))::int AS cut FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()';

it(`after connections are closed between calls ${CUTS} times, the next calls succeed, or reject and succeed when retried`, async (context) => {
  const prisma = shared.database.connect({ connections: 3 });
  const admin = shared.database.connect({ connections: 1 });
  const session = new PrismaSession({ prisma, sessionId: 'between' });
  let cut = 0;
  for (let round = 0; round < CUTS; round++) {
    await untilDone(() =>
      session.applyHistoryTransaction({
        operationId: `${round}`,
        transaction: { type: 'append_items', items: [{ round }] },
      }),
    );
    const [row] = await admin.$queryRawUnsafe<{ cut: number }[]>(CUT_ALL);
    cut += Number(row?.cut);
  }
  expect(cut).toBeGreaterThanOrEqual(CUTS);
  const items = await untilDone(() => session.getItems());
  expect(items).toEqual(Array.from({ length: CUTS }, (_, round) => ({ round })));
  show(
    context,
    10,
    `${count(cut)} connections closed between calls, in ${CUTS} rounds: ${items.length} of ${CUTS} operations stored, each once`,
  );
});

/** Retries while the connection is broken: calls fail until the pool has noticed. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isMemoryError(error, 'OUTCOME_UNKNOWN') && !(isMemoryError(error, 'BACKEND') && error.retryable))
        throw error;
      failures++;
      if (failures > 1_000) throw error;
    }
  }
}

it(`while connections are closed ${CUTS} times with calls in flight, no acknowledged change is lost, and no retry duplicates one`, async (context) => {
  const prisma = shared.database.connect({ connections: 3 });
  const admin = shared.database.connect({ connections: 1 });
  const writers = Array.from({ length: 6 }, () => new PrismaSession({ prisma, sessionId: 'under way' }));
  let over = false;
  const before = failures;
  let written = 0;
  const write = async (session: PrismaSession, writer: number) => {
    for (let turn = 0; !over; turn++) {
      const items = [
        { writer, turn, part: 'a' },
        { writer, turn, part: 'b' },
      ];
      const args = { operationId: `${writer} ${turn}`, transaction: { type: 'append_items' as const, items } };
      await untilDone(() => session.applyHistoryTransaction(args));
      written++;
    }
  };
  const writing = Promise.all(writers.map(write));
  // More rounds if by chance no call was in flight at any cut.
  for (let round = 0; round < CUTS || (failures === before && round < 1_000); round++) {
    await sleep(Math.random() * 30);
    await admin.$queryRawUnsafe(CUT_ALL);
  }
  over = true;
  await writing;
  const items = await new PrismaSession({ prisma: admin, sessionId: 'under way' }).getItems();
  expect(items).toHaveLength(2 * written);
  for (let at = 0; at < items.length; at += 2) expect(items[at + 1]).toEqual({ ...items[at], part: 'b' });
  expect(failures).toBeGreaterThan(before);
  show(
    context,
    10,
    `all connections closed ${CUTS} times under 6 writers: ${count(written)} operations acknowledged, ${count(failures - before)} retried, all stored once`,
  );
});

it('all serialization failures are retried', async (context) => {
  const { prisma } = shared.database;
  // From now on, every transaction of this database is serializable, and collisions are rolled back.
  const [row] = await prisma.$queryRawUnsafe<{ name: string }[]>('SELECT current_database()::text AS name');
  await prisma.$executeRawUnsafe(`ALTER DATABASE "${row?.name}" SET default_transaction_isolation = 'serializable'`);
  const strict = countingCollisions(shared.database.connect({ connections: 5 }));
  // Again if the writers happened to come one after the other.
  for (let attempt = 0; attempt < 50 && strict.codes.length === 0; attempt++) {
    const sessions = Array.from(
      { length: 50 },
      () => new PrismaSession({ prisma: strict.client, sessionId: `strict ${attempt}` }),
    );
    await Promise.all(
      sessions.map((session, index) =>
        session.addItems([
          { index, part: 'a' },
          { index, part: 'b' },
        ]),
      ),
    );
    const items = (await sessions[0]?.getItems()) ?? [];
    expect(items).toHaveLength(100);
    expect(new Set(items.map(({ index }) => index)).size).toBe(50);
    for (let at = 0; at < items.length; at += 2) expect(items[at + 1]).toEqual({ ...items[at], part: 'b' });
  }
  expect(strict.codes.length).toBeGreaterThan(0);
  expect(new Set(strict.codes)).toEqual(new Set(['40001']));
  show(
    context,
    9,
    `50 writers of one session, serializable, on a pool of 5: ${count(strict.codes.length)} rollbacks retried, 50 batches stored, each once and complete`,
  );
});
