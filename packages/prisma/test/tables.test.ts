import { LENGTH_STEPS, lengthStep } from '@keepsake/search/remote';
import { type PostgresServer, startPostgres } from '@keepsake/services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PrismaLike, PrismaSession, PrismaStore } from '../src/index.ts';
import { type Database, migratePostgres, migrateSqlite, postgresDatabase, sqliteDatabase } from './databases.ts';

/** A possible next version of the tables, which changes what happens when a session is deleted. */
const NEXT_VERSION = {
  postgresql: `SELECT pg_advisory_xact_lock(7305794361026);
    CREATE OR REPLACE FUNCTION "keepsake_session_gone" () RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN /* of version 3 */ DELETE FROM "keepsake_items" WHERE "session_key" = OLD."key"; RETURN OLD; END; $$;
    UPDATE "keepsake_meta" SET "version" = 3 WHERE "part" = 'sessions';`,
  sqlite: `BEGIN IMMEDIATE;
    DROP TRIGGER "keepsake_session_gone";
    CREATE TRIGGER "keepsake_session_gone" AFTER DELETE ON "keepsake_sessions"
    BEGIN DELETE FROM "keepsake_items" WHERE /* of version 3 */ "session_key" = OLD."key"; END;
    UPDATE "keepsake_meta" SET "version" = 3 WHERE "part" = 'sessions';
    COMMIT;`,
};

const SESSION_GONE = {
  postgresql: "SELECT prosrc AS text FROM pg_proc WHERE proname = 'keepsake_session_gone'",
  sqlite: "SELECT sql AS text FROM sqlite_master WHERE name = 'keepsake_session_gone' AND type = 'trigger'",
};

/** Everything in the database except for Keepsake's tables: names and definitions. */
const EVERYTHING_ELSE = {
  postgresql: `SELECT relname::text AS name, relkind::text AS kind, relnatts::int AS columns FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE 'keepsake\\_%' ORDER BY relname`,
  sqlite: `SELECT name, type, sql FROM sqlite_master
    WHERE tbl_name NOT LIKE 'keepsake\\_%' ESCAPE '\\' ORDER BY name, type`,
};

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** Runs `work` with an empty database of each kind. */
async function onEach(
  work: (database: Database, migrate: () => Promise<void>, run: (sql: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const postgres = await postgresDatabase(server, { migrated: false });
  const sqlite = await sqliteDatabase({ migrated: false });
  try {
    await work(
      postgres,
      () => migratePostgres(postgres.url),
      (sql) => migratePostgres(postgres.url, [sql]),
    );
    await work(
      sqlite,
      () => migrateSqlite(sqlite.url),
      (sql) => migrateSqlite(sqlite.url, [sql]),
    );
  } finally {
    await postgres.stop();
    await sqlite.stop();
  }
}

describe('Tables', () => {
  it('that are missing cause an error that says how to create them', () =>
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

  it('of another version are rejected with advice', () =>
    onEach(async ({ connect }, migrate) => {
      await migrate();
      for (const [version, advice] of [
        [0, /adds the missing migration/],
        [3, /Update @keepsake\/prisma/],
      ] as const) {
        const prisma = connect();
        await prisma.keepsakeMeta.update({ where: { part: 'sessions' }, data: { version } });
        const refused = { code: 'BACKEND', message: expect.stringMatching(advice) };
        await expect(new PrismaSession({ prisma }).getItems()).rejects.toMatchObject(refused);
      }
    }));

  it('without the secret of cursors are rejected until the migration has added it, and then keep it', () =>
    onEach(async ({ prisma, connect }, migrate) => {
      await migrate();
      await prisma.$executeRawUnsafe('DROP TABLE keepsake_secrets');
      await prisma.keepsakeMeta.delete({ where: { part: 'cursors' } });
      const open = () => new PrismaStore({ prisma: connect(), name: 'memory' });
      await expect(open().list()).rejects.toThrow(/adds the missing migration/);
      await migrate();
      const secret = await prisma.keepsakeSecret.findFirst();
      expect(secret?.secret).toMatch(/^[0-9A-Fa-f-]{64,}$/);
      await open().putMany([{ content: 'heron' }, { content: 'crane' }]);
      const { cursor } = await open().list({ limit: 1 });
      await migrate();
      expect(await prisma.keepsakeSecret.findMany()).toEqual([secret]);
      expect((await open().list({ cursor })).items).toHaveLength(1);
    }));

  it('of store version 1 are rejected until the migration has rounded the lengths', () =>
    onEach(async ({ prisma, connect }, migrate) => {
      await migrate();
      const store = new PrismaStore({ prisma, name: 'memory' });
      const lengths = [0, 1, 31, 32, 33, 34, 35, 36, 37, 38, 41, 42, 43, 100, 8_355, 8_356, 10_026, 10_027, 500_000];
      await store.putMany(lengths.map((length) => ({ id: `${length}`, content: 'tea' })));
      await store.put({ id: 'not indexed', content: 'tea', index: false });
      const unround = async () => {
        for (const length of lengths) {
          await prisma.keepsakeRecord.updateMany({ where: { id: `${length}` }, data: { wordCount: length } });
        }
      };
      const wordCount = async (id: string) => (await prisma.keepsakeRecord.findFirst({ where: { id } }))?.wordCount;
      await unround();
      await prisma.keepsakeMeta.update({ where: { part: 'store' }, data: { version: 1 } });
      const search = () => new PrismaStore({ prisma: connect(), name: 'memory' }).search('tea');
      await expect(search()).rejects.toThrow(/adds the missing migration/);
      await migrate();
      expect(await search()).toHaveLength(10);
      for (const length of lengths) expect(await wordCount(`${length}`)).toBe(LENGTH_STEPS[lengthStep(length)]);
      expect(await wordCount('not indexed')).toBeNull();
      // The migration rounds only once, because a later version may round differently.
      await unround();
      await migrate();
      expect(await wordCount('100')).toBe(100);
    }));

  it('of sessions version 1 are rejected until the migration has dated the operation ids', () =>
    onEach(async ({ prisma, connect }, migrate) => {
      await migrate();
      const operate = (client: PrismaLike, n: number) =>
        new PrismaSession({ prisma: client, sessionId: 's' }).applyHistoryTransaction({
          operationId: `${n}`,
          transaction: { type: 'append_items', items: [] },
        });
      for (let n = 0; n < 20; n++) await operate(prisma, n);
      // As if there had been a thousand more, which a session of version 1 would remember alone.
      await prisma.$executeRawUnsafe('UPDATE keepsake_sessions SET operations = 1019');
      await prisma.$executeRawUnsafe('UPDATE keepsake_operations SET place = place & 2147483647');
      await prisma.keepsakeMeta.update({ where: { part: 'sessions' }, data: { version: 1 } });
      await expect(operate(connect(), 20)).rejects.toThrow(/adds the missing migration/);
      await migrate();
      await migrate();
      await operate(connect(), 20);
      await operate(connect(), 21);
      expect(await prisma.keepsakeOperation.count()).toBe(22);
      const hour = Math.floor(Date.now() / 3_600_000);
      for (const { place } of await prisma.keepsakeOperation.findMany()) {
        expect(hour - Number(place >> 31n)).toBeLessThan(2);
      }
    }));

  it('are checked once per client, even by 32 concurrent first uses', () =>
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

  it('have the newer version after two versions create them concurrently, in any order', () =>
    onEach(async ({ prisma, dialect, connect }, migrate, run) => {
      // SQLite has one writer at a time, so the others retry.
      const patiently = async (work: () => Promise<void>): Promise<void> => {
        await work().catch((error) => (/locked|BUSY/.test(String(error)) ? patiently(work) : Promise.reject(error)));
      };
      const older = () => patiently(migrate);
      const newer = async () => {
        await older();
        await patiently(() => run(NEXT_VERSION[dialect]));
      };
      await older();
      await new PrismaSession({ prisma, sessionId: 's' }).addItems([{ a: 1 }]);
      await Promise.all([older(), newer(), older(), newer(), older(), newer()]);
      await older();
      const [found] = await prisma.$queryRawUnsafe<{ text: string }[]>(SESSION_GONE[dialect]);
      expect(found?.text).toContain('of version 3');
      expect(await prisma.keepsakeMeta.findUnique({ where: { part: 'sessions' } })).toMatchObject({ version: 3 });
      expect(await prisma.keepsakeItem.count()).toBe(1);
      const session = new PrismaSession({ prisma: connect(), sessionId: 's' });
      await expect(session.getItems()).rejects.toThrow(/of a newer version. Update @keepsake\/prisma/);
    }));

  it("leave the application's tables unchanged", () =>
    onEach(async ({ prisma, dialect }, migrate) => {
      const id = dialect === 'sqlite' ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'serial PRIMARY KEY';
      for (const name of ['Customer', 'sessions', 'items', 'records', 'keepsakes']) {
        await prisma.$executeRawUnsafe(`CREATE TABLE "${name}" (id ${id}, name text NOT NULL DEFAULT 'x')`);
        await prisma.$executeRawUnsafe(`CREATE INDEX "${name}_by_name" ON "${name}" (name)`);
        await prisma.$executeRawUnsafe(`INSERT INTO "${name}" (name) VALUES ('${name}')`);
      }
      const all = () => prisma.$queryRawUnsafe<object[]>(EVERYTHING_ELSE[dialect]);
      const before = await all();
      expect(before.length).toBeGreaterThanOrEqual(10);
      await migrate();
      await migrate();
      const session = new PrismaSession({ prisma, sessionId: 's' });
      await session.addItems([{ a: 1 }]);
      await session.popItem();
      const store = new PrismaStore({ prisma, name: 'memory' });
      await store.put({ content: 'tea' });
      await store.search('tea');
      await store.clear({ descendants: true });
      expect(await all()).toEqual(before);
      expect(await prisma.customer.findMany()).toEqual([{ id: 1, name: 'Customer' }]);
    }));

  it('can be created concurrently and repeatedly, and keep their contents', () =>
    onEach(async ({ prisma, dialect }, migrate) => {
      // SQLite has one writer at a time, so the others retry.
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
