import { createDatabase, dropDatabase } from './postgres-databases.ts';
import type { PostgresServer } from './postgres-server.ts';

/** Borrows a running server. Databases that are created there are dropped by `stop()`; others are not touched. */
export async function borrowPostgres(given: string): Promise<PostgresServer> {
  const made: string[] = [];
  const create = async (wanted?: string) => {
    const url = await createDatabase(given, wanted);
    made.push(url);
    return url;
  };
  const url = await create().catch((cause) => {
    throw new Error(
      'DATABASE_URL must name a running server that allows creating databases. Start the server or unset the variable.',
      { cause },
    );
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
  throw new Error(
    'The server of DATABASE_URL must not be stopped by tests. Start one with startPostgres({ own: true }).',
  );
}
