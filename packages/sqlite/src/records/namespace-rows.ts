import { formatNamespace, type Namespace, type NamespaceInfo } from '@keepsake/core';
import type { NamespaceList } from '@keepsake/core/adapter';
import type { Connection, Value } from '../database/connection.ts';
import { readPath } from '../database/stored-values.ts';

/** A namespace that has records, perhaps only expired ones. */
export interface NamespaceRow {
  /** Not used again once the namespace was empty. */
  readonly namespace: number;
  /** How many deletions the table of records has. */
  readonly deletions: number;
  /** The number of the last deletion that it no longer has. */
  readonly forgotten: number;
}

/** Rows that are removed at once. */
const FEW_DELETIONS = 250;

const COLUMNS = 'namespace, deletions, forgotten';

export function findNamespace(connection: Connection, namespace: Namespace): NamespaceRow | undefined {
  const sql = `SELECT ${COLUMNS} FROM keepsake_namespaces WHERE path = ?`;
  return connection.first<NamespaceRow>(sql, formatNamespace(namespace));
}

/** Creates the namespace if it is missing. */
export function putNamespace(connection: Connection, namespace: Namespace): NamespaceRow {
  const knownRow = findNamespace(connection, namespace);
  if (knownRow !== undefined) return knownRow;
  const path = formatNamespace(namespace);
  const sql = `INSERT INTO keepsake_namespaces (path) VALUES (?) RETURNING ${COLUMNS}`;
  const row = connection.first<NamespaceRow>(sql, path) as NamespaceRow;
  for (const segment of segmentsOf(path)) {
    connection.run('INSERT INTO keepsake_segments VALUES (?, ?)', segment, row.namespace);
  }
  return row;
}

/** The segments of a path, as in it, each once. */
function segmentsOf(path: string): ReadonlySet<string> {
  return new Set(path === '' ? [] : path.split(':'));
}

/** Removes the row of a namespace and those of its segments, in the same transaction. */
function removeRow(connection: Connection, namespace: number): void {
  const sql = 'DELETE FROM keepsake_namespaces WHERE namespace = ? RETURNING path';
  const { path = '' } = connection.first<{ path: string }>(sql, namespace) ?? {};
  for (const segment of segmentsOf(path)) {
    connection.run('DELETE FROM keepsake_segments WHERE segment = ? AND namespace = ?', segment, namespace);
  }
}

/** The namespaces strictly below one, in the order of their paths. */
export function namespacesBelow(connection: Connection, namespace: Namespace): Namespace[] {
  const [from, to] = rangeBelow(namespace);
  const sql = 'SELECT path FROM keepsake_namespaces WHERE path > ? AND path < ? ORDER BY path';
  return connection.all<{ path: string }>(sql, from, to).map(({ path }) => readPath(path));
}

/** The next namespaces strictly below one, with the counts of records that have not expired. */
export function listNamespaces(
  connection: Connection,
  namespace: Namespace,
  { limit, after, beyond, empty, segment }: NamespaceList,
): NamespaceInfo[] {
  const [from, to] = rangeBelow(namespace);
  const start = after === undefined ? from : formatNamespace(after);
  const [isAfter, begin] = beyond === undefined ? ['>', start] : ['>=', rangeBelow(beyond)[1]];
  // The cross join makes SQLite begin with the segments. The sum keeps it from reading all paths of the range instead.
  const [source, path] =
    segment === undefined
      ? ['keepsake_namespaces n WHERE', 'path']
      : ['keepsake_segments s CROSS JOIN keepsake_namespaces n USING (namespace) WHERE s.segment = ? AND', '+path'];
  const sql = `SELECT path, count FROM (
      SELECT path, records - (
        SELECT count(*) FROM keepsake_records r WHERE r.namespace = n.namespace AND r.expires_ms <= ?
      ) AS count
      FROM ${source} ${path} ${isAfter} ? AND ${path} < ? ORDER BY path
    ) WHERE count > 0 OR ? LIMIT ?`;
  const wanted = segment === undefined ? [] : [formatNamespace([segment])];
  return connection
    .all<{ path: string; count: number }>(sql, Date.now(), ...wanted, begin, to, empty ? 1 : 0, limit)
    .map(({ path, count }) => ({ namespace: readPath(path), recordCount: count }));
}

/** The paths below one are between these two. */
function rangeBelow(namespace: Namespace): readonly [from: string, to: Value] {
  const path = formatNamespace(namespace);
  // `;` is the character after `:`. Every text is less than a blob.
  return path === '' ? ['', new Uint8Array()] : [`${path}:`, `${path};`];
}

/** Takes a namespace away; its rows are removed later. Returns how many of its records had not expired. */
export function clearNamespace(connection: Connection, path: string): number {
  const sql = `SELECT namespace, records - (
      SELECT count(*) FROM keepsake_records r WHERE r.namespace = n.namespace AND expires_ms <= ?
    ) AS count FROM keepsake_namespaces n WHERE path = ?`;
  const row = connection.first<{ namespace: number; count: number }>(sql, Date.now(), path);
  if (row === undefined) return 0;
  takeAway(connection, row.namespace);
  return row.count;
}

/** Takes a namespace without records away. */
export function removeIfEmpty(connection: Connection, namespace: number): void {
  const sql = `SELECT deletions, EXISTS (SELECT 1 FROM keepsake_indexes i WHERE i.namespace = n.namespace) AS is_indexed
    FROM keepsake_namespaces n WHERE namespace = ? AND records = 0`;
  const row = connection.first<{ deletions: number; is_indexed: number }>(sql, namespace);
  if (row === undefined) return;
  if (row.is_indexed === 1 || row.deletions > FEW_DELETIONS) {
    takeAway(connection, namespace);
    return;
  }
  connection.run('DELETE FROM keepsake_records WHERE namespace = ?', namespace);
  removeRow(connection, namespace);
}

function takeAway(connection: Connection, namespace: number): void {
  removeRow(connection, namespace);
  connection.run('INSERT INTO keepsake_cleared VALUES (?)', namespace);
}
