import type { RecordSearch } from '@keepsake/core/adapter';
import type { WorkSteps } from '@keepsake/search/remote';
import type { Database } from '../database/database.ts';
import { rowsOf, Values } from '../database/statement.ts';
import { tryToIndex } from '../stores/index-fields.ts';
import type { NamespaceKey } from '../stores/namespace-key.ts';
import { type Document, documentRows } from './documents.ts';
import { writeRules } from './filter-fields.ts';
import { fromIndex, type IndexedValue } from './indexed-value.ts';
import type { PackedQuery } from './packed-words.ts';
import { recordsOf } from './records-of.ts';
import { scoringStepsOf } from './scoring-steps.ts';
import { TIME } from './search-statement.ts';

/** More records than this are not all scored. */
const MOST_INDEXED = 4_096;

interface KnownRow {
  readonly n: unknown;
  readonly passes: unknown;
  readonly time: unknown;
}

/** SQLite works in the process that calls it: it reads this many at a time. */
const READ_AT_ONCE = { postgresql: Infinity, sqlite: 1_024 };

/** Whether records pass a filter, and their times, by their position. */
export async function readKnown(
  database: Database,
  namespace: NamespaceKey,
  documents: readonly Document[],
  { rules, signal }: RecordSearch,
  steps: WorkSteps,
): Promise<ReadonlyMap<number, { readonly passes: boolean; readonly time: number }>> {
  const { dialect } = database;
  const known = new Map<number, { readonly passes: boolean; readonly time: number }>();
  const size = Math.min(READ_AT_ONCE[dialect], documents.length);
  for (let from = 0; from < documents.length; from += size) {
    if (steps.isDue) await steps.pause();
    const values = new Values(dialect);
    const key = values.text(namespace.key);
    const passes = writeRules(dialect, rules, values);
    const sql = `SELECT d.n AS "n", CASE WHEN ${passes} THEN 1 ELSE 0 END AS "passes", ${TIME} AS "time"
      FROM (${documentRows(dialect, documents.slice(from, from + size), key, values)}) AS d ${recordsOf(dialect, 'd', 'r')}
      WHERE r."namespace_key" = ${key}`;
    const rows = await database.readRows<KnownRow>({ sql, values }, signal);
    for (const { n, passes, time } of rows) {
      known.set(from + Number(n), { passes: Number(passes) === 1, time: Number(time) });
    }
  }
  return known;
}

/** A record that passes the filter, with its score by words. */
interface Passing {
  readonly seq: number;
  readonly score: number;
  readonly time: number;
}

/** The records of some that pass a filter and have a word of the query, on PostgreSQL. */
export async function rankIndexed(
  database: Database,
  query: PackedQuery & { readonly worths: readonly number[] },
  { rules, signal }: RecordSearch,
  seqs: readonly number[],
): Promise<readonly Passing[]> {
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
    ${scoringStepsOf(database.dialect, 'indexed', scoring, passes, values)},
    scored("seq", score) AS (
      SELECT "seq", sum(worth * share) FROM posting JOIN worths USING (feature) WHERE passes = 1 GROUP BY "seq"
    )
    SELECT s."seq" AS "seq", s.score AS "score", ${TIME} AS "time"
    FROM scored AS s ${recordsOf(database.dialect, 's', 'r')}`;
  const rows = await database.readRows<Record<keyof Passing, unknown>>({ sql, values }, signal);
  return rows.map(({ seq, score, time }) => ({ seq: Number(seq), score: Number(score), time: Number(time) }));
}

/** The records that an index leads to. `undefined` if there are too many, or if there is no index. */
export async function seqsOf(
  database: Database,
  { namespace, indexed }: PackedQuery,
  { signal }: RecordSearch,
  value: IndexedValue,
): Promise<readonly number[] | undefined> {
  const list = database.dialect === 'postgresql' ? 'CAST(json_agg("seq") AS text)' : 'json_group_array("seq")';
  for (let attempt = 0; attempt < 2; attempt++) {
    const values = new Values(database.dialect);
    // One row, because a driver takes long for thousands.
    const inner = (
      condition: string,
    ) => `SELECT CASE WHEN count(*) <= ${MOST_INDEXED} THEN coalesce(${list}, '[]') END AS "seqs" FROM (
      SELECT v."seq" FROM "keepsake_field_values" AS v WHERE ${condition} LIMIT ${MOST_INDEXED + 1}
    ) AS one`;
    const sql = fromIndex(database.dialect, namespace, value, inner, values);
    const [row] = await database.readRows<{ readonly seqs: string | null }>({ sql, values }, signal);
    if (row !== undefined) return row.seqs === null ? undefined : JSON.parse(row.seqs);
    if (attempt > 0 || !(await tryToIndex(database, namespace, indexed, signal))) return undefined;
  }
  return undefined;
}
