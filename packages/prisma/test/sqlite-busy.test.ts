import { join } from 'node:path';
import { inOtherProcesses } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { createClient } from '@libsql/client';
import { expect, it } from 'vitest';
import { PrismaSession, PrismaStore } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';
import type { PrismaClient } from './generated/postgresql/client.ts';
import type { Appending } from './programs/append-often.ts';

const shared = sharedDatabase('SQLite');

it('a write after SQLITE_BUSY is visible to all connections, and not lost', async () => {
  const { prisma, url, connect } = shared.database;
  const session = new PrismaSession({ prisma, sessionId: 's' });
  await session.addItems([{ number: 0 }]);
  const other = createClient({ url });
  for (let number = 1; number <= 5; number++) {
    const holding = await other.transaction('write');
    const adding = session.addItems([{ number }]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await holding.commit();
    await adding;
    const seen = await new PrismaSession({ prisma: connect(), sessionId: 's' }).getItems();
    expect(seen).toHaveLength(number + 1);
  }
  other.close();
});

it("SQLITE_BUSY in the caller's transaction rejects immediately, and the transaction can be retried", async () => {
  const { prisma, url } = shared.database;
  const sessionId = 'within';
  const append = (readsFirst: boolean) =>
    prisma.$transaction(async (transaction) => {
      if (readsFirst) await transaction.customer.findMany();
      await new PrismaSession({ prisma: transaction, sessionId }).addItems([{ readsFirst }]);
    });
  await prisma.$executeRawUnsafe('CREATE TABLE "Customer" (id INTEGER PRIMARY KEY, name TEXT)');
  await append(false);
  const other = createClient({ url });
  for (const readsFirst of [false, true]) {
    const holding = await other.transaction('write');
    // The other transaction ends only after this one.
    await expect(append(readsFirst)).rejects.toMatchObject({
      code: 'BACKEND',
      message: expect.stringMatching(/this transaction cannot commit. Roll it back and retry all of it/),
    });
    await holding.commit();
    await append(readsFirst);
  }
  const seen = await new PrismaSession({ prisma: shared.database.connect(), sessionId }).getItems();
  expect(seen).toEqual([{ readsFirst: false }, { readsFirst: false }, { readsFirst: true }]);
  other.close();
});

/** Counts how often a client leaves its connection because of SQLITE_BUSY. */
function countingCollisions(client: PrismaClient) {
  let count = 0;
  const prisma = new Proxy(client, {
    get(target, name) {
      if (name === '$transaction') count++;
      return Reflect.get(target, name);
    },
  });
  return { prisma, collisions: () => count };
}

const WRITERS = ['a', 'b', 'c', 'd'].slice(0, rounds(4, 3));

it(`${WRITERS.length} processes that append often to one file all succeed, in order`, async () => {
  const { url, connect } = shared.database;
  const [sessionId, times] = ['busy', rounds(200, 50)];
  const jobs = WRITERS.map((writer) => JSON.stringify({ url, sessionId, writer, times } satisfies Appending));
  const acknowledged = await inOtherProcesses(join(import.meta.dirname, 'programs/append-often.ts'), jobs);
  expect(acknowledged.map((lines) => lines.length)).toEqual(WRITERS.map(() => times));
  const items = await new PrismaSession({ prisma: connect(), sessionId }).getItems();
  expect(items).toHaveLength(WRITERS.length * times);
  for (const writer of WRITERS) {
    const own = items.filter((item) => item.writer === writer).map(({ n }) => n);
    expect(own).toEqual(Array.from({ length: times }, (_, n) => n));
  }
});

it('calls that wait for another writer succeed in the order in which they were made', async () => {
  const { prisma, collisions } = countingCollisions(shared.database.connect());
  const store = new PrismaStore({ prisma, name: 'memory', namespace: ['order'] });
  await store.list();
  const other = createClient({ url: shared.database.url });
  const holding = await other.transaction('write');
  const ids = Array.from({ length: 20 }, (_, n) => `${n}`);
  const putting = Promise.all(ids.map((id) => store.put({ id, content: 'tea' })));
  await expect.poll(() => collisions()).toBeGreaterThan(2);
  await holding.commit();
  await putting;
  expect((await store.list({ order: 'oldest' })).items.map(({ id }) => id)).toEqual(ids);
  other.close();
});

it('a call that is aborted while it waits for another writer rejects before that one is done, and writes nothing', async () => {
  const { prisma, collisions } = countingCollisions(shared.database.connect());
  const store = new PrismaStore({ prisma, name: 'memory', namespace: ['aborted'] });
  await store.list();
  const other = createClient({ url: shared.database.url });
  const holding = await other.transaction('write');
  const first = store.put({ id: 'first', content: 'tea' });
  const controller = new AbortController();
  const aborted = ['second', 'third'].map((id) => store.put({ id, content: 'tea' }, { signal: controller.signal }));
  await expect.poll(() => collisions()).toBeGreaterThan(0);
  controller.abort();
  const refusals = await Promise.all(aborted.map((put) => put.catch((error: unknown) => error)));
  expect(refusals).toMatchObject([{ code: 'ABORTED' }, { code: 'ABORTED' }]);
  await holding.commit();
  await first;
  expect((await store.list()).items.map(({ id }) => id)).toEqual(['first']);
  other.close();
});
