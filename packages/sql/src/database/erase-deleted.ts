import type { Database } from './database.ts';
import { Values } from './statement.ts';

/** Rewrites the pages of the database, then empties its log. */
const REWRITE = ['VACUUM', 'PRAGMA wal_checkpoint(TRUNCATE)'];

/**
 * Removes all deleted text from the bytes of a SQLite database and its log. SQLite keeps it in free pages and in unused parts
 * of pages. PostgreSQL does this on its own when it vacuums.
 *
 * Connections that read in the meantime keep the log until they end.
 */
export async function eraseDeleted(database: Database): Promise<void> {
  const { dialect } = database;
  if (dialect !== 'sqlite') return;
  // `PRAGMA` returns a row, which not every driver takes from a statement that is not a query.
  for (const sql of REWRITE) await database.writeRows({ sql, values: new Values(dialect) });
}
