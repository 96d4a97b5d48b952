import { type IndexedField, throwIfAborted } from '@keepsake/core/adapter';
import { WorkSteps } from '@keepsake/search/remote';
import type { Database } from '../database/database.ts';
import { rowsOf, Values } from '../database/statement.ts';
import { indexKey } from '../search/indexed-value.ts';
import type { NamespaceKey } from './namespace-key.ts';

/** How many records a step indexes. SQLite works in the process that calls it, so that its steps are shorter. */
const STEP = { postgresql: 1_000, sqlite: 500 };

/**
 * Has an index serve some fields in a namespace: from then on, whoever writes there keeps it up to date. Indexes the records
 * that are there in steps, which other writes come between. If it ends early, the next call continues.
 *
 * @throws MemoryError `ABORTED` if the signal is aborted.
 */
export async function indexFields(
  database: Database,
  namespace: NamespaceKey,
  fields: readonly IndexedField[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const names = fields.map(indexKey);
  const isPostgres = database.dialect === 'postgresql';
  await (isPostgres ? declareOnPostgres : declareOnSqlite)(database, namespace, names);
  const steps = new WorkSteps(signal);
  // SQLite does not let the event loop turn, in which a signal is aborted.
  while (await (isPostgres ? stepOnPostgres : stepOnSqlite)(database, namespace)) await steps.pause();
}

async function declareOnPostgres(database: Database, { key }: NamespaceKey, names: readonly string[]): Promise<void> {
  const values = new Values(database.dialect);
  const sql = `SELECT 1 AS "done" FROM keepsake_index_fields(${values.text(key)}, ${values.texts(names)})`;
  await database.writeRows({ sql, values });
}

async function stepOnPostgres(database: Database, { key }: NamespaceKey): Promise<boolean> {
  const values = new Values(database.dialect);
  const sql = `SELECT keepsake_index_more(${values.text(key)}, CAST(${values.whole(STEP.postgresql)} AS integer)) AS "more"`;
  const [row] = await database.writeRows<{ readonly more: boolean }>({ sql, values });
  return row?.more === true;
}

async function declareOnSqlite(database: Database, { key }: NamespaceKey, names: readonly string[]): Promise<void> {
  const { dialect } = database;
  const index = new Values(dialect);
  const sql = `INSERT OR IGNORE INTO "keepsake_indexes" ("namespace_key") VALUES (${index.text(key)})`;
  await database.countWritten({ sql, values: index });
  const values = new Values(dialect);
  const rows = rowsOf(
    dialect,
    names.map((name) => [name]),
    ['text'],
    values,
  );
  const fields = `INSERT OR IGNORE INTO "keepsake_indexed_fields" ("number", "field")
    SELECT i."number", n.name FROM (SELECT NULL AS name WHERE 0 UNION ALL ${rows}) n
    CROSS JOIN "keepsake_indexes" i WHERE i."namespace_key" = ${values.text(key)}`;
  await database.countWritten({ sql: fields, values });
}

/** Two statements. If only the first one is done, it is repeated. */
async function stepOnSqlite(database: Database, { key }: NamespaceKey): Promise<boolean> {
  const values = new Values(database.dialect);
  const sql = `SELECT n."number" AS "number", n."from" AS "from", (
      SELECT max("seq") FROM (
        SELECT "seq" FROM "keepsake_records" WHERE "namespace_key" = ${values.text(key)} AND "seq" > n."from" ORDER BY "seq" LIMIT ${STEP.sqlite}
      )
    ) AS "to"
    FROM (
      SELECT f."number", min(f."indexed_seq") AS "from" FROM "keepsake_indexes" i
      CROSS JOIN "keepsake_indexed_fields" f ON f."number" = i."number"
      WHERE i."namespace_key" = ${values.text(key)} AND f."indexed_seq" IS NOT NULL GROUP BY f."number"
    ) n`;
  const [next] = await database.readRows<{ number: unknown; from: unknown; to: unknown }>({ sql, values });
  if (next === undefined) return false;
  const { number, from, to } = next;
  const adding = new Values(database.dialect);
  const bounds = `${adding.whole(Number(from))}`;
  const add = `INSERT OR IGNORE INTO "keepsake_field_values" ("number", "field", "value", "seq")
    SELECT f."number", f."field", substr(j."value", 1, 200), r."seq"
    FROM "keepsake_records" r CROSS JOIN "keepsake_indexed_fields" f CROSS JOIN json_each(r."fields") j ON j."key" = f."field"
    WHERE r."namespace_key" = ${adding.text(key)} AND r."seq" > ${bounds} AND r."seq" <= ${adding.whole(Number(to ?? 0))}
      AND f."number" = ${adding.whole(Number(number))} AND f."indexed_seq" <= ${adding.whole(Number(from))}`;
  if (to !== null) await database.countWritten({ sql: add, values: adding });
  const noting = new Values(database.dialect);
  const note = `UPDATE "keepsake_indexed_fields" SET "indexed_seq" = ${noting.whole(to === null ? null : Number(to))}
    WHERE "number" = ${noting.whole(Number(number))} AND "indexed_seq" <= ${noting.whole(Number(from))}`;
  await database.countWritten({ sql: note, values: noting });
  return to !== null;
}

/** {@link indexFields} for a reader, who finds the same without an index if it may not write. */
export async function tryToIndex(...call: Parameters<typeof indexFields>): Promise<boolean> {
  const [database, , , signal] = call;
  // In a transaction of the caller, others would wait for its end.
  if (database.isTransaction) return false;
  try {
    await indexFields(...call);
    return true;
  } catch {
    throwIfAborted(signal);
    return false;
  }
}
