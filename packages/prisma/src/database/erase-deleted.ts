import type { Database, Part } from './database.ts';
import { Values } from './statement.ts';

/** The full-text index drops its own copies of deleted words. */
const DROP_WORDS = `INSERT INTO "keepsake_record_words" ("keepsake_record_words") VALUES ('optimize')`;
/** Rewrites the pages of the database, then empties its log. */
const REWRITE = ['VACUUM', 'PRAGMA wal_checkpoint(TRUNCATE)'];

/**
 * Removes all deleted text from the bytes of a SQLite database and its log. SQLite keeps it in free pages, in unused parts of
 * pages, and in segments of its full-text index. PostgreSQL does this on its own when it vacuums.
 *
 * Connections that read in the meantime keep the log until they end.
 */
export async function eraseDeleted(database: Database, part: Part): Promise<void> {
  const { dialect } = database;
  if (dialect !== 'sqlite') return;
  // `PRAGMA` returns a row, which not every driver takes from a statement that is not a query.
  for (const sql of [...(part === 'store' ? [DROP_WORDS] : []), ...REWRITE])
    await database.writeRows({ sql, values: new Values(dialect) });
}
