import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** The URL of a database that does not exist yet, on the server of another. */
export function newDatabaseUrl(server: string): string {
  return Object.assign(new URL(server), { pathname: `/keepsake_${randomBytes(8).toString('hex')}` }).href;
}

/** Creates an empty database on the server of a URL and returns its URL. */
export async function createDatabase(server: string, url = newDatabaseUrl(server)): Promise<string> {
  // Copying files takes a third of the time, because no write-ahead log is written for them.
  await query(server, `CREATE DATABASE ${nameOf(url)} STRATEGY FILE_COPY`);
  return url;
}

/** Drops a database and closes its connections. */
export async function dropDatabase(server: string, url: string): Promise<void> {
  await query(server, `DROP DATABASE ${nameOf(url)} WITH (FORCE)`);
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

async function query(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end();
  }
}
