import { startPostgres } from '@keepsake/services';
import { describe, expect, it } from 'vitest';
import { PrismaSession } from '../src/index.ts';
import { type Database, migratePostgres, migrateSqlite, postgresDatabase, sqliteDatabase } from './databases.ts';

/** Does something with an empty database of each kind. */
async function onEach(work: (database: Database, migrate: () => Promise<void>) => Promise<void>): Promise<void> {
  const server = await startPostgres();
  const postgres = await postgresDatabase(server, { migrated: false });
  const sqlite = await sqliteDatabase({ migrated: false });
  try {
    await work(postgres, () => migratePostgres(postgres.url));
    await work(sqlite, () => migrateSqlite(sqlite.url));
  } finally {
    await postgres.stop();
    await sqlite.stop();
    await server.stop();
  }
}

describe('the tables', () => {
  it('are asked for by an error that says how to get them, until they are there', () =>
    onEach(async ({ prisma }, migrate) => {
      const session = new PrismaSession({ prisma });
      const missing = {
        code: 'BACKEND',
        message: expect.stringMatching(/keepsake-prisma init.*prisma migrate deploy/),
      };
      await expect(session.getItems()).rejects.toMatchObject(missing);
      await expect(session.addItems([{ a: 1 }])).rejects.toMatchObject(missing);
      await migrate();
      await session.addItems([{ a: 1 }]);
      expect(await session.getItems()).toEqual([{ a: 1 }]);
    }));

  it('of another version are refused, with what to do', () =>
    onEach(async ({ connect }, migrate) => {
      await migrate();
      for (const [version, advice] of [
        [0, /adds the migration/],
        [2, /Update @keepsake\/prisma/],
      ] as const) {
        const prisma = connect();
        await prisma.keepsakeMeta.update({ where: { part: 'sessions' }, data: { version } });
        const refused = { code: 'BACKEND', message: expect.stringMatching(advice) };
        await expect(new PrismaSession({ prisma }).getItems()).rejects.toMatchObject(refused);
      }
    }));

  it('are checked once a client, also by 32 first uses at once', () =>
    onEach(async ({ prisma }, migrate) => {
      await migrate();
      const asked: string[] = [];
      const client = {
        $queryRawUnsafe: <T>(query: string, ...values: unknown[]) => {
          asked.push(query);
          return prisma.$queryRawUnsafe<T>(query, ...values);
        },
        $executeRawUnsafe: (query: string, ...values: unknown[]) => prisma.$executeRawUnsafe(query, ...values),
      };
      const sessions = Array.from({ length: 32 }, () => new PrismaSession({ prisma: client }));
      await Promise.all(sessions.map((session) => session.addItems([{ a: 1 }])));
      expect(asked.filter((query) => query.includes('keepsake_meta'))).toHaveLength(1);
    }));

  it('can be made by several at once, and again, and keep what is in them', () =>
    onEach(async ({ prisma, dialect }, migrate) => {
      // SQLite has one writer at a time, and the others come again.
      const patient = async (): Promise<void> => {
        await migrate().catch((error) => (/locked|BUSY/.test(String(error)) ? patient() : Promise.reject(error)));
      };
      await Promise.all(Array.from({ length: 4 }, dialect === 'sqlite' ? patient : migrate));
      const session = new PrismaSession({ prisma, sessionId: 's' });
      await session.addItems([{ a: 1 }]);
      await migrate();
      expect(await session.getItems()).toEqual([{ a: 1 }]);
    }));
});
