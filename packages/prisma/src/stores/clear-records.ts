import { liveIn } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { Values } from '../database/statement.ts';
import { forgetCorpusStats } from './corpus-stats.ts';
import type { NamespaceKey } from './namespace-key.ts';
import { isBelow, isHere } from './namespaces.ts';

/** Removes all records of a namespace and, with `descendants`, of all below it. Returns how many there were. */
export async function clearRecords(database: Database, namespace: NamespaceKey, descendants: boolean): Promise<number> {
  const removed = await removeRecords(database, namespace, descendants);
  forgetCorpusStats(database, namespace, descendants);
  return removed;
}

async function removeRecords(database: Database, namespace: NamespaceKey, descendants: boolean): Promise<number> {
  if (database.dialect === 'sqlite') {
    return removeAll(database, (values) => (descendants ? isWithin : isHere)(namespace, values));
  }
  const { path, key } = namespace;
  const values = new Values(database.dialect);
  const below = !descendants ? 'NULL' : values.text(path === '' ? '' : `${path}:`);
  const sql = `SELECT keepsake_clear(${values.text(key)}, ${below}) AS "removed"`;
  const [row] = await database.writeRows<{ readonly removed: unknown }>({ sql, values });
  return Number(row?.removed);
}

/** Removes the records for which a condition holds. */
async function removeAll(database: Database, condition: (values: Values) => string): Promise<number> {
  const values = new Values(database.dialect);
  const sql = `DELETE FROM "keepsake_records" WHERE ${condition(values)}`;
  // Expired records go first, because they do not count.
  await database.countWritten({ sql: `${sql} AND NOT ${liveIn(database.dialect)}`, values });
  return database.countWritten({ sql, values });
}

/**
 * A condition for the records of a namespace and of all below it, on SQLite. It estimates that a range is a quarter of the
 * table, and without `INDEXED BY` would read all of it.
 */
function isWithin(namespace: NamespaceKey, values: Values): string {
  const [here, below] = [isHere(namespace, values), isBelow('sqlite', namespace, values)];
  return `"seq" IN (
    SELECT "seq" FROM "keepsake_records" WHERE ${here}
    UNION ALL SELECT "seq" FROM "keepsake_records" INDEXED BY "keepsake_records_namespace_idx" WHERE ${below}
  )`;
}
