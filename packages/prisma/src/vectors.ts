import { type Embedder, MemoryError, throwIfAborted } from '@keepsake/core';
import { embed, type HostedSearch } from '@keepsake/search';
import type { Database } from './database.ts';
import { writeRules } from './filter-fields.ts';
import type { NamedRecord } from './put-records.ts';
import { liveIn } from './record-rows.ts';
import type { Records } from './records.ts';
import { readRows, Values, type Written } from './statement.ts';
import { toStorable } from './storable-text.ts';

const checked = new WeakMap<Database, Promise<void>>();

/** Throws `UNSUPPORTED` if a database has no table for vectors, and says how to create it. */
export function checkVectors(database: Database): Promise<void> {
  const known = checked.get(database);
  if (known !== undefined) return known;
  const checking = check(database);
  checked.set(database, checking);
  checking.catch(() => checked.delete(database));
  return checking;
}

async function check(database: Database): Promise<void> {
  if (database.dialect === 'sqlite') {
    throw new MemoryError(
      'UNSUPPORTED',
      'An embedder needs PostgreSQL with pgvector; this is SQLite. Leave it out, or use a store that compares vectors itself.',
    );
  }
  const values = new Values(database.dialect);
  const sql = `SELECT "version" FROM "keepsake_meta" WHERE "part" = 'vectors'`;
  const [found] = await readRows<{ readonly version: unknown }>(database, { sql, values });
  if (Number(found?.version) === 1) return;
  throw new MemoryError(
    'UNSUPPORTED',
    'An embedder needs the table for vectors, which is a migration of its own as it needs pgvector: apply node_modules/@keepsake/prisma/migrations/postgresql-vectors.',
  );
}

/** The vector of each record by id, `null` for records that search must not find. Of an id that comes twice, the last. */
export async function embedRecords(
  embedder: Embedder,
  records: readonly NamedRecord[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string | null>> {
  const latest = new Map(records.map((record) => [record.id, record]));
  const indexed = [...latest.values()].filter(({ index }) => index);
  const texts = indexed.map(({ content }) => content);
  const found = texts.length === 0 ? [] : await embed(embedder, texts, signal);
  const vectors = new Map<string, string | null>([...latest.keys()].map((id) => [id, null]));
  for (const [place, { id }] of indexed.entries()) vectors.set(id, write(found[place] as Float32Array));
  return vectors;
}

/** A put that also puts the vectors of the records, in the same statement. */
export function withVectors(
  { sql, values }: Written,
  embedder: Embedder,
  vectors: ReadonlyMap<string, string | null>,
): Written {
  const list = JSON.stringify(Array.from(vectors, ([id, vector]) => ({ name: toStorable(id), vector })));
  return {
    values,
    sql: `WITH put AS (${sql}),
    given AS (
      SELECT put."seq", v.vector FROM put JOIN json_to_recordset(CAST(${values.text(list)} AS json)) AS v(name text, vector text)
        ON v.name = put."id"
    ),
    gone AS (DELETE FROM "keepsake_vectors" WHERE "seq" IN (SELECT "seq" FROM given WHERE vector IS NULL)),
    kept AS (
      INSERT INTO "keepsake_vectors" ("seq", "embedder", "embedding")
      SELECT "seq", ${values.text(toStorable(embedder.id))}, CAST(vector AS vector) FROM given WHERE vector IS NOT NULL
      ON CONFLICT ("seq") DO UPDATE SET "embedder" = excluded."embedder", "embedding" = excluded."embedding"
    )
    SELECT * FROM put`,
  };
}

/** A query compared with the vectors of a namespace. */
export interface Meaning {
  /** The embedder, and the vector of the query, as the database takes them. */
  readonly embedder: string;
  readonly vector: string;
  /** Over the cosines of all vectors in the namespace. */
  readonly cosines: { readonly mean: number; readonly deviation: number };
  /** The records that pass the filter whose vectors are nearest. */
  readonly nearest: readonly number[];
}

interface MeaningRow {
  readonly mean: number | null;
  readonly deviation: number | null;
  readonly nearest: string | null;
}

/** Compares the query with all vectors of the namespace that are from the embedder of the store. */
export async function compareMeaning(
  records: Records,
  embedder: Embedder,
  { query, rules, signal }: HostedSearch,
  size: number,
): Promise<Meaning> {
  const database = await records.database();
  const [queried] = await embed(embedder, [query], signal);
  throwIfAborted(signal);
  const compared = { embedder: toStorable(embedder.id), vector: write(queried as Float32Array) };
  const values = new Values(database.dialect);
  const sql = `WITH ours AS MATERIALIZED (
      SELECT "seq", ${writeRules(database.dialect, rules, values)} AS passes FROM "keepsake_records"
      WHERE "namespace_key" = ${values.text(records.place.key)} AND ${liveIn(database.dialect)}
    ),
    compared AS MATERIALIZED (
      SELECT ours."seq", ours.passes, v.cosine
      FROM ours CROSS JOIN LATERAL (${cosineOf(compared, 'ours."seq"', values)}) AS v
    )
    SELECT (SELECT avg(cosine) FROM compared) AS "mean", (SELECT stddev_pop(cosine) FROM compared) AS "deviation",
      CAST((SELECT json_agg("seq") FROM (
        SELECT "seq" FROM compared WHERE passes ORDER BY cosine DESC, "seq" DESC LIMIT ${values.whole(size)}
      ) AS nearest) AS text) AS "nearest"`;
  const [row] = await readRows<MeaningRow>(database, { sql, values }, signal);
  return {
    ...compared,
    cosines: { mean: row?.mean ?? 0, deviation: row?.deviation ?? 0 },
    nearest: JSON.parse(row?.nearest ?? '[]') as number[],
  };
}

/**
 * A query for the cosine of the vector of a record with that of the query: no row where the record has none. A vector of
 * zeros has no direction, and the cosine 0. `OFFSET 0` makes PostgreSQL look the vector up by its key.
 */
export function cosineOf(
  { embedder, vector }: Pick<Meaning, 'embedder' | 'vector'>,
  seq: string,
  values: Values,
): string {
  return `SELECT COALESCE(NULLIF(1 - ("embedding" <=> CAST(${values.text(vector)} AS vector)), 'NaN'), 0) AS cosine
    FROM "keepsake_vectors" WHERE "seq" = ${seq} AND "embedder" = ${values.text(embedder)} OFFSET 0`;
}

function write(vector: Float32Array): string {
  return `[${vector.join()}]`;
}
