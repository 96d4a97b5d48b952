import { type PostgresServer, startPostgres } from '@keepsake/services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PrismaSession, PrismaStore } from '../src/index.ts';
import { type Database, migratePostgres, migrateSqlite, postgresDatabase, sqliteDatabase } from './databases.ts';

/** A possible next version of the tables, which changes what happens when a session is deleted. */
const NEXT_VERSION = {
  postgresql: `SELECT pg_advisory_xact_lock(7305794361026);
    CREATE OR REPLACE FUNCTION "keepsake_session_gone" () RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN /* of version 2 */ DELETE FROM "keepsake_items" WHERE "session_key" = OLD."key"; RETURN OLD; END; $$;
    UPDATE "keepsake_meta" SET "version" = 2;`,
  sqlite: `BEGIN IMMEDIATE;
    DROP TRIGGER "keepsake_session_gone";
    CREATE TRIGGER "keepsake_session_gone" AFTER DELETE ON "keepsake_sessions"
    BEGIN DELETE FROM "keepsake_items" WHERE /* of version 2 */ "session_key" = OLD."key"; END;
    UPDATE "keepsake_meta" SET "version" = 2;
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
        [2, /Update @keepsake\/prisma/],
      ] as const) {
        const prisma = connect();
        await prisma.keepsakeMeta.updateMany({ data: { version } });
        const refused = { code: 'BACKEND', message: expect.stringMatching(advice) };
        await expect(new PrismaSession({ prisma }).getItems()).rejects.toMatchObject(refused);
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
      expect(found?.text).toContain('of version 2');
      expect(await prisma.keepsakeMeta.findFirst()).toMatchObject({ version: 2 });
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
