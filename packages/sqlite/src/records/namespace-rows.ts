import { formatNamespace, type Namespace, type NamespaceInfo } from '@keepsake/core';
import type { NamespaceList } from '@keepsake/core/adapter';
import type { Connection, Value } from '../database/connection.ts';
import { readPath } from '../database/stored-values.ts';

/** A namespace that has records, perhaps only expired ones. */
export interface NamespaceRow {
  readonly namespace: number;
  readonly analysis: string | null;
  readonly last_document: number;
  readonly document_count: number;
  readonly total_length: number;
  readonly total_squares: number;
  readonly removed_vectors: number;
}

const COLUMNS = 'namespace, analysis, last_document, document_count, total_length, total_squares, removed_vectors';

export function findNamespace(connection: Connection, namespace: Namespace): NamespaceRow | undefined {
  const sql = `SELECT ${COLUMNS} FROM keepsake_namespaces WHERE path = ?`;
  return connection.first<NamespaceRow>(sql, formatNamespace(namespace));
}

/** Creates the namespace if it is missing. */
export function putNamespace(connection: Connection, namespace: Namespace): NamespaceRow {
  const sql = `INSERT INTO keepsake_namespaces (path) VALUES (?) RETURNING ${COLUMNS}`;
  return (
    findNamespace(connection, namespace) ??
    (connection.first<NamespaceRow>(sql, formatNamespace(namespace)) as NamespaceRow)
  );
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
  { limit, after, empty }: NamespaceList,
): NamespaceInfo[] {
  const [from, to] = rangeBelow(namespace);
  const sql = `SELECT path, count FROM (
      SELECT path, record_count - (
        SELECT count(*) FROM keepsake_records r WHERE r.namespace = n.namespace AND r.expires_ms <= ?
      ) AS count
      FROM keepsake_namespaces n WHERE path > ? AND path < ? ORDER BY path
    ) WHERE count > 0 OR ? LIMIT ?`;
  const start = after === undefined ? from : formatNamespace(after);
  return connection
    .all<{ path: string; count: number }>(sql, Date.now(), start, to, empty ? 1 : 0, limit)
    .map(({ path, count }) => ({ namespace: readPath(path), recordCount: count }));
}

/** The paths below one are between these two. */
function rangeBelow(namespace: Namespace): readonly [from: string, to: Value] {
  const path = formatNamespace(namespace);
  // `;` is the character after `:`. Every text is less than a blob.
  return path === '' ? ['', new Uint8Array()] : [`${path}:`, `${path};`];
}
