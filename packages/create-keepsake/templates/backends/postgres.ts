import { PostgresSessionStore, PostgresStore, setup } from '@keepsake/postgres';
import { Pool } from 'pg';

if (!process.env.DATABASE_URL) {
  console.error('DATABASE_URL is not set. Set it in .env, such as to postgres://localhost/chats.');
  process.exit(1);
}
const client = new Pool({ connectionString: process.env.DATABASE_URL });
client.on('error', () => {}); // without a listener, an idle connection that breaks ends the process

// Creates the tables if they are missing, in a schema of their own.
const schema = 'memory';
await setup(client, { schema });

export const sessions = new PostgresSessionStore({ client, schema });
export const store = new PostgresStore({ client, schema, name: 'chats', extraction: true });

export async function close(): Promise<void> {
  await client.end();
}
