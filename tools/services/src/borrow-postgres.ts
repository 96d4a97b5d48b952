import { createDatabase, dropDatabase } from './postgres-databases.ts';
import type { PostgresServer } from './start-postgres.ts';

/** Borrows a running server: the databases that are made there are dropped at `stop()`, the others left alone. */
export async function borrowPostgres(given: string): Promise<PostgresServer> {
  const made: string[] = [];
  const create = async () => {
    const url = await createDatabase(given);
    made.push(url);
    return url;
  };
  const url = await create().catch((cause) => {
    throw new Error('DATABASE_URL leads to no server where a database can be made: start it, or unset it.', { cause });
  });
  const { hostname, port } = new URL(given);
  return {
    host: hostname,
    port: Number(port || 5432),
    url,
    createDatabase: create,
    kill: refuse,
    restart: refuse,
    async stop() {
      for (const each of made.splice(0)) await dropDatabase(given, each);
    },
  };
}

async function refuse(): Promise<never> {
  throw new Error('The server of DATABASE_URL is not ours to end. Start one with startPostgres({ own: true }).');
}
