import { PostgresSession, PostgresSessionStore, PostgresStore, setup } from '@keepsake/postgres';
import { type PrismaLike, PrismaSession, PrismaSessionStore, PrismaStore } from '@keepsake/prisma';
import { RedisSession, RedisSessionStore, RedisStore } from '@keepsake/redis';
import { ON_A_SERVER } from '@keepsake/suites/whole-kit';
import { Redis } from 'ioredis';
import pg from 'pg';
import postgres from 'postgres';
import { type Backend, runKits } from '../../src/cases.ts';

// Databases that the test creates.
const { PG_URL = '', POSTGRES_JS_URL = '', SQLITE_URL = '', REDIS_URL = '' } = process.env;

/** The module with the clients that Prisma generates. Not bundled, because they are generated for the tests of another package. */
const { connectTo } = (await import(process.env.PRISMA_CLIENTS ?? '')) as { connectTo(url: string): PrismaLike };

const pool = new pg.Pool({ connectionString: PG_URL });
const sql = postgres(POSTGRES_JS_URL, { onnotice() {} });

await runKits([
  await postgresThrough('pg', pool, (text) => pool.query(text)),
  await postgresThrough('postgres.js', sql, (text) => sql.unsafe(text)),
  prismaOn('PostgreSQL', connectTo(PG_URL)),
  prismaOn('SQLite', connectTo(SQLITE_URL)),
  redisThrough(new Redis(REDIS_URL)),
]);

/** Creates the tables, too. */
async function postgresThrough(
  driver: string,
  client: pg.Pool | postgres.Sql,
  query: (sql: string) => PromiseLike<unknown>,
): Promise<Backend> {
  await setup(client);
  return {
    name: `postgres through ${driver}`,
    capabilities: ON_A_SERVER,
    async place() {
      await query('DELETE FROM keepsake_namespaces; DELETE FROM keepsake_sessions');
      return {
        store: (options) => new PostgresStore({ client, name: 'memory', ...options }),
        session: (sessionId) => new PostgresSession({ client, sessionId }),
        sessions: () => new PostgresSessionStore({ client }),
      };
    },
  };
}

/** The tables must be there. Those of `pg` are the same. */
function prismaOn(database: string, prisma: PrismaLike): Backend {
  return {
    name: `prisma on ${database}`,
    capabilities: ON_A_SERVER,
    async place() {
      for (const table of ['namespaces', 'sessions']) await prisma.$executeRawUnsafe(`DELETE FROM keepsake_${table}`);
      return {
        store: (options) => new PrismaStore({ prisma, name: 'memory', ...options }),
        session: (sessionId) => new PrismaSession({ prisma, sessionId }),
        sessions: () => new PrismaSessionStore({ prisma }),
      };
    },
  };
}

function redisThrough(client: Redis): Backend {
  return {
    name: 'redis through ioredis',
    capabilities: ON_A_SERVER,
    place() {
      const keyPrefix = `${crypto.randomUUID()}:`;
      return {
        store: (options) => new RedisStore({ client, keyPrefix, name: 'memory', ...options }),
        session: (sessionId) => new RedisSession({ client, keyPrefix, sessionId }),
        sessions: () => new RedisSessionStore({ client, keyPrefix }),
      };
    },
  };
}
