import type { RecordSearch } from '@keepsake/core/adapter';
import type { Database } from '../database/database.ts';
import { rowsOf, Values } from '../database/statement.ts';
import { tryToIndex } from '../stores/index-fields.ts';
import type { NamespaceKey } from '../stores/namespace-key.ts';
import { type Document, documentRows } from './documents.ts';
import { writeRules } from './filter-fields.ts';
import { fromIndex, type IndexedValue } from './indexed-value.ts';
import type { PackedQuery } from './packed-words.ts';
import { scoringStepsOf } from './scoring-steps.ts';
import { TIME } from './search-statement.ts';

/** More records than this are not all scored. */
const MOST_INDEXED = 4_096;

interface KnownRow {
  readonly n: unknown;
  readonly passes: unknown;
  readonly time: unknown;
}

/** Whether records pass a filter, and their times, by their position. */
export async function readKnown(
  database: Database,
  namespace: NamespaceKey,
  documents: readonly Document[],
  { rules, signal }: RecordSearch,
): Promise<ReadonlyMap<number, { readonly passes: boolean; readonly time: number }>> {
  const values = new Values(database.dialect);
  const key = values.text(namespace.key);
  const passes = writeRules(database.dialect, rules, values);
  const sql = `SELECT d.n AS "n", CASE WHEN ${passes} THEN 1 ELSE 0 END AS "passes", ${TIME} AS "time"
    FROM (${documentRows(documents, key, values)}) AS d
    CROSS JOIN LATERAL (SELECT * FROM "keepsake_records" AS k WHERE k."seq" = d."seq" OFFSET 0) AS r
    WHERE r."namespace_key" = ${key}`;
  const rows = await database.readRows<KnownRow>({ sql, values }, signal);
  return new Map(rows.map(({ n, passes, time }) => [Number(n), { passes: Number(passes) === 1, time: Number(time) }]));
}

/** A record that passes the filter, with its score by words. */
interface Passing {
  readonly seq: number;
  readonly score: number;
  readonly time: number;
}

/** The records that pass a filter and have a word of the query. `undefined` if the index leads to too many, or is missing. */
export async function rankIndexed(
  database: Database,
  query: PackedQuery & { readonly worths: readonly number[] },
  search: RecordSearch,
  value: IndexedValue,
): Promise<readonly Passing[] | undefined> {
  const seqs = await seqsOf(database, query, search, value);
  if (seqs === undefined || seqs.length > MOST_INDEXED) return undefined;
  const { rules, signal } = search;
  const values = new Values(database.dialect);
  const passes = `CASE WHEN ${writeRules(database.dialect, rules, values)} THEN 1 ELSE 0 END`;
  const scoring = { ...query, rules, worths: { kind: 'given', worths: query.worths } } as const;
  const given = rowsOf(
    database.dialect,
    seqs.map((seq) => [seq]),
    ['bigint'],
    values,
  );
  const sql = `WITH indexed("seq") AS (${given}),
    ${scoringStepsOf('indexed', scoring, passes, values)},
    scored("seq", score) AS (
      SELECT "seq", sum(worth * share) FROM posting JOIN worths USING (feature) WHERE passes = 1 GROUP BY "seq"
    )
    SELECT s."seq" AS "seq", s.score AS "score", ${TIME} AS "time"
    FROM scored AS s CROSS JOIN LATERAL (SELECT * FROM "keepsake_records" AS k WHERE k."seq" = s."seq" OFFSET 0) AS r`;
  const rows = await database.readRows<Record<keyof Passing, unknown>>({ sql, values }, signal);
  return rows.map(({ seq, score, time }) => ({ seq: Number(seq), score: Number(score), time: Number(time) }));
}

/** The records that an index leads to, one more than are scored if there are more. */
async function seqsOf(
  database: Database,
  { namespace, indexed }: PackedQuery,
  { signal }: RecordSearch,
  value: IndexedValue,
): Promise<number[] | undefined> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const values = new Values(database.dialect);
    const inner = (condition: string) =>
      `SELECT v."seq" FROM "keepsake_field_values" AS v WHERE ${condition} LIMIT ${MOST_INDEXED + 1}`;
    const sql = fromIndex(database.dialect, namespace, value, inner, values);
    const rows = await database.readRows<{ readonly seq: unknown }>({ sql, values }, signal);
    if (rows.length > 0) return rows.flatMap(({ seq }) => (seq === null ? [] : [Number(seq)]));
    if (attempt > 0 || !(await tryToIndex(database, namespace, indexed, signal))) return undefined;
  }
  return undefined;
}
