import type { Connection } from './connection.ts';
import type { Database } from './database.ts';

/** How long the removals of one transaction take. */
const STEP_MS = 5;
/** How many rows a statement removes. */
const REMOVED_AT_ONCE = 250;

/** The tables with rows of a namespace, and what tells these apart. */
const KEYS_OF_ROWS = [
  ['records', 'record'],
  ['fields', 'field, value, record'],
  ['indexed_fields', 'field'],
  ['postings', 'block, term'],
  ['counts', 'kind, name'],
  ['vectors', 'document'],
] as const;

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
  for (const [table, key] of KEYS_OF_ROWS) {
    const some = `SELECT ${key} FROM keepsake_${table} WHERE namespace = ? LIMIT ${REMOVED_AT_ONCE}`;
    const remove = `DELETE FROM keepsake_${table} WHERE namespace = ? AND (${key}) IN (${some})`;
    while (connection.run(remove, namespace, namespace) > 0) if (performance.now() > end) return false;
  }
  return true;
}
