import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** How long the removals of one transaction take. */
const STEP_MS = 5;
/** The lower bits of the place of a page are its number. */
export const PAGE_BITS = 20;
const PAGES_AT_ONCE = 4;
/** How many rows a statement removes. */
const REMOVED_AT_ONCE = 250;

/*
 * A clear() of many records takes their namespace away, and nothing else, in one transaction: its number is not used again,
 * so nobody sees its rows. A transaction that removed them all would end with a step that grows with their number, because
 * SQLite computes the checksums in its log again for all pages after one that it wrote twice.
 */

/** Whether there are rows of namespaces that were taken away. */
export function hasClearedRows(connection: Connection): boolean {
  return connection.first('SELECT 1 FROM keepsake_cleared') !== undefined;
}

/** Removes the rows of namespaces that were taken away, in many transactions. */
export async function removeClearedRows(database: Database): Promise<void> {
  while (await database.read(hasClearedRows)) await database.write(removeSome);
}

function removeSome(connection: Connection): void {
  const end = performance.now() + STEP_MS;
  do {
    const cleared = connection.first<{ namespace: number }>('SELECT namespace FROM keepsake_cleared');
    if (cleared === undefined || !removeRows(connection, cleared.namespace, end)) return;
    connection.run('DELETE FROM keepsake_cleared WHERE namespace = ?', cleared.namespace);
  } while (performance.now() < end);
}

/** Returns whether all are removed. */
function removeRows(connection: Connection, namespace: number, end: number): boolean {
  connection.run('DELETE FROM keepsake_indexes WHERE namespace = ?', namespace);
  const some = `SELECT change FROM keepsake_records WHERE namespace = ? LIMIT ${REMOVED_AT_ONCE}`;
  const remove = `DELETE FROM keepsake_records WHERE change IN (${some})`;
  do {
    if (connection.run(remove, namespace) === 0) return removePages(connection, end);
  } while (performance.now() < end);
  return false;
}

/** Removes pages of indexes that are gone. Returns whether all are removed. */
export function removePages(connection: Connection, end: number): boolean {
  const some = `SELECT place FROM keepsake_pages WHERE place >> ${PAGE_BITS} NOT IN (SELECT saved FROM keepsake_indexes) LIMIT ?`;
  const remove = `DELETE FROM keepsake_pages WHERE place IN (${some})`;
  do {
    if (connection.run(remove, PAGES_AT_ONCE) === 0) return true;
  } while (performance.now() < end);
  return false;
}
