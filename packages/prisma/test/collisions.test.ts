import { expect, it } from 'vitest';
import { PrismaSession, PrismaStore } from '../src/index.ts';
import { countingCollisions, sharedDatabase } from './databases.ts';

const shared = sharedDatabase('PostgreSQL');

it('a statement that a deadlock rolled back is retried', async () => {
  const { prisma } = shared.database;
  const [row] = await prisma.$queryRawUnsafe<{ name: string }[]>('SELECT current_database()::text AS name');
  await prisma.$executeRawUnsafe(`ALTER DATABASE "${row?.name}" SET deadlock_timeout = '3s'`);
  const { client, codes } = countingCollisions(shared.database.connect());
  const store = new PrismaStore({ prisma: client, name: 'memory' });
  await store.within(['a']).put({ id: 'x', content: 'tea' });
  await store.within(['b']).put({ id: 'x', content: 'tea' });
  let clearing: Promise<unknown> | undefined;
  await prisma.$transaction(
    async (other) => {
      const lock = (path: string) =>
        other.$queryRawUnsafe('SELECT 1 FROM keepsake_namespaces WHERE path = $1 FOR UPDATE', path);
      // PostgreSQL rolls back the statement whose timeout ends first. A long one here leaves that to the store's statement.
      await other.$executeRawUnsafe("SET LOCAL deadlock_timeout = '60s'");
      await lock('b');
      clearing = store.clear({ descendants: true });
      const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
      while ((await prisma.$queryRawUnsafe<unknown[]>(waits)).length === 0);
      await lock('a');
    },
    { timeout: 30_000 },
  );
  expect(await clearing).toBe(2);
  expect(codes).toEqual(['40P01']);
});

it("a collision in the caller's transaction is not retried, and the error says to retry the transaction", async () => {
  const { prisma, connect } = shared.database;
  const others = new PrismaSession({ prisma: connect(), sessionId: 's' });
  await others.addItems([{ a: 1 }]);
  const transaction = prisma.$transaction(
    async (client) => {
      const session = new PrismaSession({ prisma: client, sessionId: 's' });
      await session.getItems();
      await others.addItems([{ b: 2 }]);
      await session.addItems([{ c: 3 }]);
    },
    { isolationLevel: 'Serializable' },
  );
  await expect(transaction).rejects.toMatchObject({
    code: 'BACKEND',
    message: expect.stringMatching(/this transaction cannot commit. Roll it back and retry all of it/),
  });
  expect(await others.getItems()).toEqual([{ a: 1 }, { b: 2 }]);
});
