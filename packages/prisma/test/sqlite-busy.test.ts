import { createClient } from '@libsql/client';
import { expect, it } from 'vitest';
import { PrismaSession } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';

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
