import type { Namespace, NamespaceInfo } from '@keepsake/core';
import type { NamespaceList } from '@keepsake/core/adapter';
import { liveIn } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { Values } from '../database/statement.ts';
import { type NamespaceKey, namespaceKeyOf, readPath } from './namespace-key.ts';

/** How many characters of a path are in the index that lists namespaces. */
const INDEXED = 256;
/** How many records of a cleared namespace one statement removes. */
const REMOVED_AT_ONCE = 2_000;

/** A condition for the row of a namespace. */
export function isHere({ key }: NamespaceKey, values: Values): string {
  return `key = ${values.text(key)}`;
}

/**
 * A condition for namespaces that come after all those below one. None for a long path, whose end is not in the index: then
 * those below are listed, too.
 */
function isBeyond(dialect: Dialect, { path }: NamespaceKey, values: Values): string | undefined {
  const isShort = path !== '' && Array.from(path).length < INDEXED;
  // `;` is the character after `:`.
  return isShort ? `${startOf(dialect)} >= ${values.text(`${path};`)}` : undefined;
}

/** A condition for the rows of all namespaces strictly below one. */
export function isBelow(dialect: Dialect, { path }: NamespaceKey, values: Values): string {
  const start = startOf(dialect);
  if (path === '') return `${start} > ''`;
  const wanted = `${path}:`;
  const characters = Array.from(wanted);
  // `;` is the character after `:`.
  if (characters.length <= INDEXED) {
    return `${start} >= ${values.text(wanted)} AND ${start} < ${values.text(`${path};`)}`;
  }
  const begin = values.text(characters.slice(0, INDEXED).join(''));
  return `${start} = ${begin} AND substr(path, 1, ${characters.length}) = ${values.text(wanted)}`;
}

/** The part of a path that is in the index. */
function startOf(dialect: Dialect): string {
  return dialect === 'postgresql' ? `left(path, ${INDEXED})` : `substr(path, 1, ${INDEXED})`;
}

/** How many records of the namespace in a row have not expired. */
function countIn(dialect: Dialect): string {
  return `keepsake_namespaces.records - (
    SELECT count(*) FROM keepsake_records AS r
    WHERE r.namespace = keepsake_namespaces.number AND r.expires_ms IS NOT NULL AND NOT ${liveIn(dialect, 'r')}
  )`;
}

/** The rows of the namespaces that have a segment anywhere in their path, by the index of segments. */
function withSegment(dialect: Dialect, segment: string, values: Values): string {
  const wanted = `segment = ${values.text(namespaceKeyOf([segment]).path)}`;
  // Keeps the planner from beginning with the namespaces, in their order: it can't know how few have the segment.
  const rows =
    dialect === 'postgresql'
      ? `SELECT n.* FROM (SELECT namespace FROM keepsake_segments WHERE ${wanted} OFFSET 0) AS s
          CROSS JOIN LATERAL (SELECT * FROM keepsake_namespaces AS m WHERE m.number = s.namespace OFFSET 0) AS n`
      : `SELECT n.* FROM keepsake_segments AS s CROSS JOIN keepsake_namespaces AS n ON n.number = s.namespace WHERE ${wanted}`;
  return `(${rows}) AS keepsake_namespaces`;
}

/** The namespaces strictly below one that may hold records. */
export async function namespacesBelow(database: Database, namespace: NamespaceKey): Promise<Namespace[]> {
  const values = new Values(database.dialect);
  const sql = `SELECT path FROM keepsake_namespaces WHERE ${isBelow(database.dialect, namespace, values)}`;
  const rows = await database.readRows<{ readonly path: string }>({ sql, values });
  return rows.map(({ path }) => readPath(path));
}

/** The next namespaces strictly below one, with the counts of records that have not expired. */
export async function listNamespaces(
  database: Database,
  namespace: NamespaceKey,
  { limit, after, beyond, empty, segment }: NamespaceList,
): Promise<NamespaceInfo[]> {
  const { dialect } = database;
  const values = new Values(dialect);
  const from = segment === undefined ? 'keepsake_namespaces' : withSegment(dialect, segment, values);
  const conditions = [
    isBelow(dialect, namespace, values),
    after && `(${startOf(dialect)}, key) > (${placeOf(namespaceKeyOf(after), values)})`,
    beyond && isBeyond(dialect, namespaceKeyOf(beyond), values),
  ];
  const sql = `SELECT path, records FROM (
      SELECT path, ${startOf(dialect)} AS start, key, ${countIn(dialect)} AS records
      FROM ${from} WHERE ${conditions.filter((condition) => condition !== undefined).join(' AND ')}
    ) AS listed ${empty ? '' : 'WHERE records > 0'} ORDER BY start, key LIMIT ${values.whole(Math.min(limit, Number.MAX_SAFE_INTEGER))}`;
  const rows = await database.readRows<{ readonly path: string; readonly records: unknown }>({ sql, values });
  return rows.map(({ path, records }) => ({ namespace: readPath(path), recordCount: Number(records) }));
}

/** The place of a namespace in the index. */
function placeOf({ path, key }: NamespaceKey, values: Values): string {
  return `${values.text(Array.from(path).slice(0, INDEXED).join(''))}, ${values.text(key)}`;
}

/** Takes namespaces away in one step, then removes their records. Returns how many had not expired. */
export async function clearNamespaces(database: Database, condition: (values: Values) => string): Promise<number> {
  const { dialect } = database;
  const values = new Values(dialect);
  const sql = `DELETE FROM keepsake_namespaces WHERE ${condition(values)} RETURNING ${countIn(dialect)} AS records`;
  const rows = await database.writeRows<{ readonly records: unknown }>({ sql, values });
  // They are gone. What is left of them can be removed later.
  await removeCleared(database).catch((error) => {
    if (database.isTransaction) throw error;
  });
  return rows.reduce((sum, { records }) => sum + Number(records), 0);
}

/** Removes the records of namespaces that are gone. */
export async function removeCleared(database: Database): Promise<void> {
  const { dialect } = database;
  for (;;) {
    const sql = 'SELECT namespace FROM keepsake_cleared LIMIT 1';
    const [row] = await database.readRows<{ readonly namespace: unknown }>({ sql, values: new Values(dialect) });
    if (row === undefined) return;
    const number = Number(row.namespace);
    while ((await removeSome(database, number)) === REMOVED_AT_ONCE) {}
    const values = new Values(dialect);
    await database.countWritten({
      sql: `DELETE FROM keepsake_cleared WHERE namespace = ${values.whole(number)}`,
      values,
    });
  }
}

function removeSome(database: Database, namespace: number): Promise<number> {
  const values = new Values(database.dialect);
  const here = `namespace = ${values.whole(namespace)}`;
  const sql = `DELETE FROM keepsake_records WHERE ${here} AND change > 0 AND change <= (
    SELECT max(change) FROM (
      SELECT change FROM keepsake_records WHERE ${here} AND change > 0 ORDER BY change LIMIT ${REMOVED_AT_ONCE}
    ) AS oldest
  )`;
  return database.countWritten({ sql, values });
}
