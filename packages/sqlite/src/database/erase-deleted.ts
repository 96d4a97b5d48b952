import { isMemoryError, MemoryError } from '@keepsake/core';
import { inBackground, mayHaveThreads } from '../file/background.ts';
import { fromNode } from '../file/from-node.ts';
import { logOf } from '../file/log-length.ts';
import { hasClearedRows, removeClearedRows } from './cleared-rows.ts';
import type { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { refuseForeignTriggers } from './foreign-triggers.ts';
import { Patience } from './patience.ts';

/** A file of this size is rewritten, or copied to another, in a few milliseconds. */
const SMALL_BYTES = 1_048_576;

const EMPTY_LOG = 'PRAGMA wal_checkpoint(TRUNCATE)';

/** The state of each connection when it last rewrote its file. */
const rewritten = new WeakMap<Connection, string>();

/**
 * Removes all deleted text from the bytes of a file. SQLite overwrites deleted rows, but copies of them can remain in unused
 * parts of pages: it copies rows when pages are split. So this rewrites the whole file, unless nothing has changed since.
 *
 * Only the log of a database of the caller is emptied, because `VACUUM` can change the rowids of other tables. A Durable Object
 * has no log to empty.
 *
 * @throws MemoryError `TIMEOUT` if other connections keep using the file, `UNSUPPORTED` if a trigger could keep what is erased.
 */
export async function eraseDeleted(database: Database): Promise<void> {
  await removeCleared(database);
  const { file } = database;
  // Changes of this process wait, because their patience is for others.
  if (file !== undefined) await database.whileNothingChanges(() => rewrite(database, file));
  await emptyLog(database);
}

/** Removes the rows of namespaces that were taken away, and empties the log. Costs with them, however large the file is. */
export async function eraseCleared(database: Database): Promise<void> {
  if (!(await database.read(hasClearedRows))) return;
  await removeCleared(database);
  await emptyLog(database);
}

async function removeCleared(database: Database): Promise<void> {
  await database.read(refuseForeignTriggers);
  await removeClearedRows(database);
}

/** Rewrites the whole file. */
async function rewrite(database: Database, file: string): Promise<void> {
  if (await database.read(isRewritten)) return;
  const note = await inBackground(file, async (run) => {
    const version = async () => (await run('PRAGMA data_version'))?.data_version;
    const before = await version();
    await run('VACUUM');
    // On the thread, because this removes a log as large as the file.
    await untilEmpty(async () => (await run(EMPTY_LOG))?.busy !== 1);
    const rewrote = await database.read((connection) => {
      const state = stateOf(connection);
      return () => rewritten.set(connection, state);
    });
    // After a change of another connection, the state can cover it.
    return (await version()) === before ? rewrote : undefined;
  });
  note?.();
}

/** Whether nothing has changed since the file was rewritten. Rewrites a small file itself, which takes less than a thread. */
function isRewritten(connection: Connection): boolean {
  // Read before, so that it does not cover what another process changes right afterwards.
  const state = stateOf(connection);
  if (rewritten.get(connection) === state) return true;
  const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
  if (Number(connection.first<{ bytes: number }>(sql)?.bytes) > SMALL_BYTES) return false;
  connection.execute('VACUUM');
  rewritten.set(connection, state);
  return true;
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
      'The deletion is done, but the file or its write-ahead log can still contain deleted text, because the log could not be ' +
        'emptied. Call compact() later.',
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
  if (!(await database.read(({ isManaged }) => isManaged))) await untilEmpty(() => tryToEmpty(database));
}

/** Tries to empty the log until it is: SQLite does not wait for others that copy from it. */
async function untilEmpty(tryOnce: () => Promise<boolean>): Promise<void> {
  const patience = new Patience();
  while (!(await tryOnce())) {
    if (patience.isOver) throw logInUse();
    await patience.pause();
  }
}

async function tryToEmpty(database: Database): Promise<boolean> {
  const { file } = database;
  const row =
    file === undefined || logBytes(file) <= SMALL_BYTES || !mayHaveThreads()
      ? await database.read((connection) => connection.first<{ busy: number }>(EMPTY_LOG))
      : await inBackground(file, (run) => run(EMPTY_LOG));
  return row?.busy !== 1;
}

function logBytes(file: string): number {
  return fromNode('node:fs').statSync(logOf(file), { throwIfNoEntry: false })?.size ?? 0;
}

function logInUse(): MemoryError {
  return new MemoryError(
    'TIMEOUT',
    'Other connections kept the write-ahead log in use, which still has deleted text. Call compact() again later.',
    { retryable: true },
  );
}
