import { type NamespaceInfo, parseNamespace } from '@keepsake/core';
import type { NamespaceList } from '@keepsake/core/adapter';
import { liveIn } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { Values } from '../database/statement.ts';
import { fromStorable } from '../database/storable-text.ts';
import { type NamespaceKey, namespaceKeyOf } from './namespace-key.ts';

/** How many characters of a namespace are in the index that lists them. */
const INDEXED = 256;
/** How many namespaces one statement reads. */
const STEP = 200;

/** A condition for the records of a namespace. */
export function isHere({ key }: NamespaceKey, values: Values): string {
  return `"namespace_key" = ${values.text(key)}`;
}

/** A condition for the records of all namespaces strictly below one. */
export function isBelow(
  dialect: Dialect,
  { path }: NamespaceKey,
  values: Values,
  table = '"keepsake_records"',
): string {
  const start = startOf(dialect, table);
  if (path === '') return `${start} > ''`;
  const wanted = `${path}:`;
  const characters = Array.from(wanted);
  // `;` is the character after `:`.
  if (characters.length <= INDEXED) {
    return `${start} >= ${values.text(wanted)} AND ${start} < ${values.text(`${path};`)}`;
  }
  const begin = values.text(characters.slice(0, INDEXED).join(''));
  return `${start} = ${begin} AND substr(${table}."namespace", 1, ${characters.length}) = ${values.text(wanted)}`;
}

/** The part of a namespace that is in the index. */
function startOf(dialect: Dialect, table: string): string {
  const column = `${table}."namespace"`;
  return dialect === 'postgresql' ? `left(${column}, ${INDEXED})` : `substr(${column}, 1, ${INDEXED})`;
}

interface NamespaceRow {
  readonly namespace: string;
  readonly start: string;
  readonly namespace_key: string;
  readonly records: unknown;
}

/** The next namespaces strictly below that hold records. */
export async function listNamespaces(
  database: Database,
  namespace: NamespaceKey,
  { limit, after, empty }: NamespaceList,
): Promise<NamespaceInfo[]> {
  let from = after === undefined ? (['', ''] as const) : placeOf(namespaceKeyOf(after));
  const found: NamespaceRow[] = [];
  for (;;) {
    const rows = await readStep(database, namespace, from);
    found.push(...rows.filter(({ records }) => Number(records) > 0 || empty));
    const last = rows.at(-1);
    if (last === undefined || rows.length < STEP || found.length >= limit) break;
    from = [last.start, last.namespace_key];
  }
  return found.slice(0, limit).map(({ namespace, records }) => ({
    namespace: parseNamespace(fromStorable(namespace)),
    recordCount: Number(records),
  }));
}

/** The place of a namespace in the index. */
function placeOf({ path, key }: NamespaceKey): readonly [start: string, key: string] {
  return [Array.from(path).slice(0, INDEXED).join(''), key];
}

/**
 * The next namespaces. Reads the index once for each of them, however many records they hold. `CROSS JOIN` keeps SQLite
 * from swapping the tables.
 */
function readStep(
  database: Database,
  namespace: NamespaceKey,
  [start, key]: readonly [string, string],
): Promise<NamespaceRow[]> {
  const { dialect } = database;
  const values = new Values(dialect);
  const next = (after: string) => `(
    SELECT n."seq" FROM "keepsake_records" n
    WHERE ${isBelow(dialect, namespace, values, 'n')} AND (${startOf(dialect, 'n')}, n."namespace_key") > (${after})
    ORDER BY ${startOf(dialect, 'n')}, n."namespace_key" LIMIT 1
  )`;
  const sql = `WITH RECURSIVE steps("seq", step) AS (
    SELECT ${next(`${values.text(start)}, ${values.text(key)}`)}, 1
    UNION ALL
    SELECT ${next(`${startOf(dialect, 'r')}, r."namespace_key"`)}, steps.step + 1
    FROM steps CROSS JOIN "keepsake_records" r WHERE r."seq" = steps."seq" AND steps.step < ${STEP}
  )
  SELECT r."namespace", ${startOf(dialect, 'r')} AS "start", r."namespace_key", (
    SELECT count(*) FROM "keepsake_records" c WHERE c."namespace_key" = r."namespace_key" AND ${liveIn(dialect, 'c')}
  ) AS "records"
  FROM steps CROSS JOIN "keepsake_records" r WHERE r."seq" = steps."seq" ORDER BY steps.step`;
  return database.readRows({ sql, values });
}
