import { isMemoryError, MemoryError } from '@keepsake/core';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { Patience } from './patience.ts';

/** The state of each connection when it last rewrote its file. */
const rewritten = new WeakMap<Connection, string>();

/**
 * Removes all deleted text from the bytes of a file. SQLite overwrites deleted rows, but copies of them can remain in unused
 * parts of pages: it copies rows when pages are split. So this rewrites the whole file, unless nothing has changed since.
 *
 * Only the log of a database of the caller is emptied, because `VACUUM` can change the rowids of other tables.
 *
 * @throws MemoryError `TIMEOUT` if other connections keep using the file.
 */
export async function eraseDeleted(database: Database): Promise<void> {
  if (database.ownsFile) await database.read(rewrite);
  await emptyLog(database);
}

/** Rewrites the whole file. */
function rewrite(connection: Connection): void {
  // Read before, so that it does not cover what another process changes right afterwards.
  const state = stateOf(connection);
  if (rewritten.get(connection) === state) return;
  connection.execute('VACUUM');
  rewritten.set(connection, state);
}

/**
 * Erases what a deletion has left.
 *
 * @throws MemoryError with the code of the failure. Not retryable: the same call would find nothing to delete.
 */
export async function afterDeletion(erase: Promise<void>): Promise<void> {
  try {
    await erase;
  } catch (cause) {
    throw new MemoryError(
      isMemoryError(cause) ? cause.code : 'BACKEND',
      'The deletion is done, but the file or its write-ahead log can still contain deleted text, because they could not be ' +
        'rewritten. Call compact() later.',
      { cause },
    );
  }
}

/** Differs after each change, by this connection or another one. */
function stateOf(connection: Connection): string {
  const version = connection.first<{ data_version: number }>('PRAGMA data_version')?.data_version;
  const changes = connection.first<{ changes: number }>('SELECT total_changes() AS changes')?.changes;
  return `${version} ${changes}`;
}

/**
 * Copies all changes from the write-ahead log to the database and empties the log. Does nothing to a database without such a
 * log.
 *
 * @throws MemoryError `TIMEOUT` if other connections keep reading from the log.
 */
export async function emptyLog(database: Database): Promise<void> {
  const patience = new Patience();
  const sql = 'PRAGMA wal_checkpoint(TRUNCATE)';
  for (;;) {
    const row = await database.read((connection) => connection.first<{ busy: number }>(sql));
    if (row?.busy !== 1) return;
    if (patience.isOver) break;
    await patience.pause();
  }
  throw new MemoryError(
    'TIMEOUT',
    'Other connections kept the write-ahead log in use, which still has deleted text. Call compact() again later.',
    { retryable: true },
  );
}
