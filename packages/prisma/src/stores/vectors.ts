import { type Embedder, MemoryError } from '@keepsake/core';
import type { IdentifiedRecord } from '@keepsake/core/adapter';
import { embed } from '@keepsake/search';
import type { Database } from '../database/database.ts';
import { tableOf, Values, type Written } from '../database/statement.ts';
import { toStorable } from '../database/storable-text.ts';

const checked = new WeakMap<Database, Promise<void>>();

/** @throws MemoryError `UNSUPPORTED` if the database has no table for vectors. The message says how to create it. */
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
      '`embedder` needs PostgreSQL with pgvector, and this database is SQLite. Remove the option, or use PostgreSQL.',
    );
  }
  const values = new Values(database.dialect);
  const sql = `SELECT "version" FROM "keepsake_meta" WHERE "part" = 'vectors'`;
  const [found] = await database.readRows<{ readonly version: unknown }>({ sql, values });
  if (Number(found?.version) === 1) return;
  throw new MemoryError(
    'UNSUPPORTED',
    '`embedder` needs the table for vectors, which this database does not have. Install pgvector and apply the migration in node_modules/@keepsake/prisma/migrations/postgresql-vectors.',
  );
}

/** The vector of each record by id; `null` for records kept out of search. If an id occurs twice, the last one counts. */
export async function embedRecords(
  embedder: Embedder,
  records: readonly IdentifiedRecord[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string | null>> {
  const latest = new Map(records.map((record) => [record.id, record]));
  const indexed = [...latest.values()].filter(({ index }) => index);
  const texts = indexed.map(({ content }) => content);
  const found = texts.length === 0 ? [] : await embed(embedder, texts, signal);
  const vectors = new Map<string, string | null>([...latest.keys()].map((id) => [id, null]));
  for (const [position, { id }] of indexed.entries()) vectors.set(id, vectorText(found[position] as Float32Array));
  return vectors;
}

/** Extends a put so that the same statement writes the vectors of the records. */
export function withVectors(
  { sql, values }: Written,
  embedder: Embedder,
  vectors: ReadonlyMap<string, string | null>,
): Written {
  const named = Array.from(vectors, ([id, vector]) => ({ name: toStorable(id), vector }));
  const given = tableOf('postgresql', 'v', named, { name: 'text', vector: 'text' }, values);
  return {
    values,
    sql: `WITH put AS (${sql}),
    given AS (
      SELECT put."seq", v.vector FROM put JOIN ${given} ON v.name = put."id"
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

/** A vector as pgvector reads it. */
export function vectorText(vector: Float32Array): string {
  return `[${vector.join()}]`;
}
