import type { Embedder } from '@keepsake/core';
import { type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import { embed } from '@keepsake/search';
import type { CosineStats } from '@keepsake/search/remote';
import { liveIn } from '../database/clock.ts';
import { Values } from '../database/statement.ts';
import { toStorable } from '../database/storable-text.ts';
import { vectorText } from '../stores/vectors.ts';
import { writeRules } from './filter-fields.ts';
import type { SearchContext } from './search-context.ts';

/** The vector of a query and the id of its embedder, as the database stores them. */
export interface QueryVector {
  readonly embedder: string;
  readonly vector: string;
}

/** How a query compares with the vectors of a namespace. */
export interface Meaning extends QueryVector {
  /** Of all vectors in the namespace. */
  readonly cosines: CosineStats;
  /** The records with the nearest vectors, of those that pass the filter. */
  readonly nearest: readonly number[];
}

interface MeaningRow {
  readonly count: unknown;
  readonly mean: number | null;
  readonly deviation: number | null;
  readonly nearest: string | null;
}

export async function embedQuery(embedder: Embedder, { query, signal }: RecordSearch): Promise<QueryVector> {
  const [vector] = await embed(embedder, [query], signal);
  throwIfAborted(signal);
  return { embedder: toStorable(embedder.id), vector: vectorText(vector as Float32Array) };
}

/** Compares the query with all vectors in the namespace that are from the same embedder. */
export async function compareMeaning(
  context: SearchContext,
  queried: QueryVector,
  { rules, signal }: RecordSearch,
  size: number,
): Promise<Meaning> {
  const database = await context.database();
  const values = new Values(database.dialect);
  const sql = `WITH ours AS MATERIALIZED (
      SELECT "seq", ${writeRules(database.dialect, rules, values)} AS passes FROM "keepsake_records"
      WHERE "namespace_key" = ${values.text(context.namespace.key)} AND ${liveIn(database.dialect)}
    ),
    compared AS MATERIALIZED (
      SELECT ours."seq", ours.passes, v.cosine
      FROM ours CROSS JOIN LATERAL (${cosineOf(queried, 'ours."seq"', values)}) AS v
    )
    SELECT (SELECT count(*) FROM compared) AS "count", (SELECT avg(cosine) FROM compared) AS "mean",
      (SELECT stddev_pop(cosine) FROM compared) AS "deviation",
      CAST((SELECT json_agg("seq") FROM (
        SELECT "seq" FROM compared WHERE passes ORDER BY cosine DESC, "seq" DESC LIMIT ${values.whole(size)}
      ) AS nearest) AS text) AS "nearest"`;
  const [row] = await database.readRows<MeaningRow>({ sql, values }, signal);
  return {
    ...queried,
    cosines: { count: Number(row?.count ?? 0), mean: row?.mean ?? 0, deviation: row?.deviation ?? 0 },
    nearest: JSON.parse(row?.nearest ?? '[]') as number[],
  };
}

/**
 * A subquery for the cosine between a record's vector and the query's; it has no row if the record has no vector. A zero
 * vector has no direction, so its cosine is 0. `OFFSET 0` makes PostgreSQL look the vector up by its key.
 */
export function cosineOf({ embedder, vector }: QueryVector, seq: string, values: Values): string {
  return `SELECT COALESCE(NULLIF(1 - ("embedding" <=> CAST(${values.text(vector)} AS vector)), 'NaN'), 0) AS cosine
    FROM "keepsake_vectors" WHERE "seq" = ${seq} AND "embedder" = ${values.text(embedder)} OFFSET 0`;
}
