import { type Embedder, MemoryError } from '@keepsake/core';
import { embed, type HostedSearch } from '@keepsake/search';
import type { Database } from './database.ts';
import { writeRules } from './filter-fields.ts';
import type { NamedRecord } from './put-records.ts';
import { liveIn } from './record-rows.ts';
import type { Records } from './records.ts';
import { readRows, Values, type Written } from './statement.ts';
import { toStorable } from './storable-text.ts';

const checked = new WeakMap<Database, Promise<void>>();

/** Throws `UNSUPPORTED` where a database has no place for vectors, and says how to make one. */
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

/** By id, what is to be kept of each record: none where search is not to find it. An id that comes twice is as it ends. */
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

/** A put that puts vectors with the records, at once. */
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

/**
 * The places of the records whose vectors are nearest, by the cosine, nearest first. Every one of the namespace is compared,
 * but for those of other embedders.
 */
export async function findNearest(
  records: Records,
  embedder: Embedder,
  vector: Float32Array,
  limit: number,
  { rules, signal }: HostedSearch,
): Promise<number[]> {
  const database = await records.database();
  const values = new Values(database.dialect);
  // OFFSET keeps PostgreSQL from reading the vectors of all namespaces, or the nearest of all, which may be those of others.
  const sql = `WITH ours AS MATERIALIZED (
      SELECT "seq" FROM "keepsake_records"
      WHERE "namespace_key" = ${values.text(records.place.key)} AND ${liveIn(database.dialect)}
        AND ${writeRules(database.dialect, rules, values)}
    )
    SELECT ours."seq" FROM ours CROSS JOIN LATERAL (
      SELECT "embedding" FROM "keepsake_vectors"
      WHERE "seq" = ours."seq" AND "embedder" = ${values.text(toStorable(embedder.id))} OFFSET 0
    ) AS v
    ORDER BY v."embedding" <=> CAST(${values.text(write(vector))} AS vector), ours."seq" DESC
    LIMIT ${values.whole(limit)}`;
  const rows = await readRows<{ readonly seq: unknown }>(database, { sql, values }, signal);
  return rows.map(({ seq }) => Number(seq));
}

function write(vector: Float32Array): string {
  return `[${vector.join()}]`;
}
