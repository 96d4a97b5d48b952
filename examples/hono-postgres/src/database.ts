import { sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { Pool, type PoolClient } from 'pg';

if (process.env.DATABASE_URL === undefined) throw new Error('Set DATABASE_URL, such as to postgres://localhost/chats.');
export const pool = new Pool({ connectionString: process.env.DATABASE_URL });
export const db = drizzle({ client: pool });

/** The server's own table: what a user sees in the list of chats. */
export const chats = pgTable(
  'chats',
  {
    user: text('user_id').notNull(),
    chat: text().notNull(),
    title: text().notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().default(sql`now()`),
  },
  ({ user, chat }) => [primaryKey({ columns: [user, chat] })],
);

/** Runs work of Drizzle and Keepsake in one transaction: both change what they should, or nothing. */
export async function transaction<Result>(
  work: (client: PoolClient, own: NodePgDatabase) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client, drizzle({ client }));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // The pool closes a client that is released with an error, which ends its transaction.
    failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
}
