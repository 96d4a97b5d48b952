import { PostgresSession, PostgresSessionStore, PostgresStore, setup } from '@keepsake/postgres';
import { RedisSession, RedisSessionStore, RedisStore } from '@keepsake/redis';
import { ON_A_SERVER } from '@keepsake/suites/whole-kit';
import { Redis } from 'ioredis';
import pg from 'pg';
import postgres from 'postgres';
import { type Backend, runKits } from '../../src/cases.ts';

// Databases on the servers that the test starts.
const { PG_URL = '', POSTGRES_JS_URL = '', REDIS_URL = '' } = process.env;

const pool = new pg.Pool({ connectionString: PG_URL });
const sql = postgres(POSTGRES_JS_URL, { onnotice() {} });

await runKits([
  await postgresThrough('pg', pool, (text) => pool.query(text)),
  await postgresThrough('postgres.js', sql, (text) => sql.unsafe(text)),
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
