import {
  type NamespaceInfo,
  type NamespaceListOptions,
  type Page,
  pageLimit,
  parseNamespace,
  writeCursor,
} from '@keepsake/core';
import { readTexts } from './cursors.ts';
import type { Database, Dialect } from './database.ts';
import { liveIn } from './record-rows.ts';
import { readRows, Values } from './statement.ts';
import { fromStorable } from './storable-text.ts';
import type { Place } from './tokens.ts';

/** So many characters of a namespace are in the index that lists them. */
const INDEXED = 256;
/** So many namespaces are asked for at a time. */
const STEP = 200;

/** A condition that the records of all namespaces strictly below one meet. */
export function isBelow(dialect: Dialect, { path }: Place, values: Values, table = '"keepsake_records"'): string {
  const start = startOf(dialect, table);
  if (path === '') return `${start} > ''`;
  const wanted = `${path}:`;
  const characters = Array.from(wanted);
  // `;` is what comes after `:`.
  if (characters.length <= INDEXED) {
    return `${start} >= ${values.text(wanted)} AND ${start} < ${values.text(`${path};`)}`;
  }
  const begin = values.text(characters.slice(0, INDEXED).join(''));
  return `${start} = ${begin} AND substr(${table}."namespace", 1, ${characters.length}) = ${values.text(wanted)}`;
}

/** What the index has of a namespace. */
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

/** A page of the namespaces strictly below that hold records. */
export async function listNamespaces(
  database: Database,
  place: Place,
  options: NamespaceListOptions | undefined,
): Promise<Page<NamespaceInfo>> {
  const limit = pageLimit(options);
  let after = readTexts(options?.cursor, 'namespaces') ?? (['', ''] as const);
  const found: NamespaceRow[] = [];
  for (;;) {
    const rows = await readStep(database, place, after);
    found.push(...rows.filter(({ records }) => Number(records) > 0 || options?.empty === true));
    const last = rows.at(-1);
    if (last === undefined || rows.length < STEP || found.length > limit) break;
    after = [last.start, last.namespace_key];
  }
  const page = found.slice(0, limit);
  const items = page.map(({ namespace, records }) => ({
    namespace: parseNamespace(fromStorable(namespace)),
    recordCount: Number(records),
  }));
  const last = page.at(-1);
  if (found.length <= limit || last === undefined) return { items };
  return { items, cursor: writeCursor('namespaces', [last.start, last.namespace_key]) };
}

/**
 * The next namespaces: the index is read once for each of them, however many records they hold. `CROSS JOIN` keeps SQLite
 * from reading the table the other way round.
 */
function readStep(database: Database, place: Place, [start, key]: readonly [string, string]): Promise<NamespaceRow[]> {
  const { dialect } = database;
  const values = new Values(dialect);
  const next = (after: string) => `(
    SELECT n."seq" FROM "keepsake_records" n
    WHERE ${isBelow(dialect, place, values, 'n')} AND (${startOf(dialect, 'n')}, n."namespace_key") > (${after})
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
  return readRows(database, { sql, values });
}
