import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** Creates an empty database on the server of a URL and returns its URL. */
export async function createDatabase(server: string): Promise<string> {
  const url = new URL(server);
  const name = `keepsake_${randomBytes(8).toString('hex')}`;
  await query(server, `CREATE DATABASE ${name}`);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops a database and closes its connections. */
export async function dropDatabase(server: string, url: string): Promise<void> {
  await query(server, `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
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
