import { ASKS, REMOTE_POOL, TIME_REACH_MS, type TimeStretches } from '@keepsake/search/remote';
import { liveIn } from '../database/clock.ts';
import type { Dialect } from '../database/dialect.ts';
import { rowsOf, Values, type Written } from '../database/statement.ts';
import { cosineOf, type Meaning } from './compare-vectors.ts';
import { type Document, documentRows } from './documents.ts';
import { writeRules } from './filter-fields.ts';
import { recordsOf } from './records-of.ts';
import { type ScoringQuery, scoringSteps, scoringStepsOf } from './scoring-steps.ts';

export interface SearchQuery extends ScoringQuery {
  /** The most records in the pool, and the most that pass the rules. */
  readonly poolSize: number;
  /** `undefined` without an embedder. */
  readonly meaning: Meaning | undefined;
  /** The best records by words, if they are known. Otherwise, the statement finds them. */
  readonly best?: readonly Document[] | undefined;
}

/** How many of the best records ranking considers. */
export function poolSizeOf(limit: number): number {
  return Math.max(REMOTE_POOL.size, REMOTE_POOL.sizePerHit * limit);
}

/** The columns of the statement. All but the last are JSON. */
export interface SearchRow {
  /** The index and the worth of each feature that at least one record has. */
  readonly worths: string | null;
  /** The best records by words and by meaning, with their neighbouring turns. */
  readonly pool: string | null;
  /** The details of the records in the pool and around it that can be results or lend score. */
  readonly found: string | null;
  /** On PostgreSQL, which places records have in blocks: the same text as long as they are the same. Only if `best` is given. */
  readonly places?: string | null;
}

export type PoolRow = readonly [
  seq: number,
  /** The turns before and after it in its conversation, nearest first. */
  earlier: readonly number[] | null,
  later: readonly number[] | null,
];

export type FoundRow = readonly [
  seq: number,
  /** BM25. */
  score: number,
  /** The indexes of its features. */
  features: readonly number[] | null,
  /** Whether it passes the filter. */
  passes: number,
  thread: string | null,
  speaker: string | null,
  timeMs: number,
  flags: number,
  /** The cosine between its vector and the query's; `null` if it has no vector. */
  cosine: number | null,
  version: number,
];

/**
 * Finds the best records by BM25 and, around these and those nearest by meaning, the neighbouring turns. Reads the records
 * to score from the full-text index: all in the namespace that contain a word of the query.
 */
export function searchStatement(dialect: Dialect, query: SearchQuery): Written {
  const { namespace, rules, times, poolSize, meaning, best: known } = query;
  const values = new Values(dialect);
  const { all, array, json, text } = JSON_IN[dialect];
  const passes = `CASE WHEN ${writeRules(dialect, rules, values)} THEN 1 ELSE 0 END`;
  const size = known === undefined ? values.whole(poolSize) : '';
  const best = (which = '') =>
    times.length === 0 ? bestOf('scored', which, size) : bestOf(datedScores(times, which, size, values), '', size);
  const stretches = times.flatMap(({ gain, stretches }) => stretches.map(({ from, to }) => [gain, from, to]));
  const nearest = meaning?.nearest.map((seq) => [seq]);
  const key = values.text(namespace.key);
  const pools = [
    ...(known === undefined ? [best()] : [`SELECT "seq" FROM (${documentRows(dialect, known, key, values)}) AS known`]),
    ...(rules.length === 0 || known !== undefined ? [] : [best('WHERE passes = 1')]),
    ...(nearest === undefined ? [] : [rowsOf(dialect, nearest, ['bigint'], values)]),
  ];
  const cosine = meaning === undefined ? 'NULL' : `(${cosineOf(meaning, 'f."seq"', values)})`;
  const foundRow = `SELECT ${array(`f."seq", f.score, ${json('f.features')}, f.passes, r."thread", r."speaker", ${TIME}, r."flags", ${cosine}, r."version"`)}
    FROM "keepsake_records" r WHERE r."seq" = f."seq"`;
  const beside = (sign: string, order: string) => `(
    SELECT ${all('"seq"')} FROM (
      SELECT r."seq" FROM "keepsake_records" r
      WHERE r."namespace_key" = ${key} AND r."thread" = p."thread" AND r."language" IS NOT NULL
        AND (r."turn_index", r."seq") ${sign} (p."turn_index", p."seq")
      ORDER BY r."turn_index" ${order}, r."seq" ${order} LIMIT ${REMOTE_POOL.around}
    ) AS beside
  )`;
  // Without MATERIALIZED, SQLite runs a step again for each step that reads it.
  const stretchRows = rowsOf(dialect, stretches, ['double precision', 'bigint', 'bigint'], values);
  const sql = `WITH ${known === undefined ? `${scoringSteps(dialect, query, passes, values)},\n  ` : ''}stretches(gain, starts, ends) AS (${stretchRows}),
  pool("seq") AS (${pools.join(' UNION ')}),
  runs("seq", "speaker", "flags", earlier, later) AS MATERIALIZED (
    SELECT p."seq", p."speaker", p."flags", ${beside('<', 'DESC')}, ${beside('>', 'ASC')} FROM pool ${recordsOf(dialect, 'pool', 'p')}
  ),
  near("seq") AS (
    SELECT "seq" FROM runs UNION ${elementsOf(dialect, 'earlier')} UNION ${elementsOf(dialect, 'later')}
  ),
  ${known === undefined ? '' : `${scoringStepsOf(dialect, 'near', query, passes, values)},\n  `}wordless("seq") AS (${meaning === undefined ? REPLIES : 'SELECT "seq" FROM near'}),
  found("seq", score, features, passes) AS (
    SELECT "seq", sum(worth * share), ${all('feature')}, max(passes) FROM posting JOIN worths USING (feature)
    WHERE "seq" IN (SELECT "seq" FROM near) GROUP BY "seq"
    UNION ALL SELECT p."seq", 0, NULL, ${passes} FROM wordless ${recordsOf(dialect, 'wordless', 'p')}
    WHERE p."seq" NOT IN (SELECT "seq" FROM posting) AND p."language" IS NOT NULL AND ${liveIn(dialect, 'p')}
  )
  SELECT ${text(`(SELECT ${all(array('feature, worth'))} FROM worths)`)} AS "worths",
    ${text(`(SELECT ${all(array(`"seq", ${json('earlier')}, ${json('later')}`))} FROM runs)`)} AS "pool",
    ${text(`(SELECT ${all(json(`(${foundRow})`))} FROM found f)`)} AS "found"
    ${known === undefined || dialect === 'sqlite' ? '' : `, keepsake_places(${key}) AS "places"`}`;
  return { sql, values };
}

/** The best records of a scoring step. */
function bestOf(step: string, which: string, size: string): string {
  return `SELECT * FROM (SELECT "seq" FROM ${step} AS step ${which} ORDER BY score DESC, "seq" DESC LIMIT ${size}) AS best`;
}

/**
 * Multiplies scores by how close each record is to the times that the query names, as `timeFactor` of `@keepsake/search`
 * does. Skips records that even the highest factor could not lift among the best.
 */
function datedScores(times: readonly TimeStretches[], which: string, size: string, values: Values): string {
  const highest = values.real(1 + Math.max(...times.map(({ gain }) => gain)));
  const [before, after] = [values.real(TIME_REACH_MS.before), values.real(TIME_REACH_MS.after)];
  const closeness = `CASE
      WHEN at < starts THEN 1 - (starts - at) / ${before} WHEN at > ends THEN 1 - (at - ends) / ${after} ELSE 1 END`;
  return `(
    SELECT "seq", score * (1 + coalesce((
      SELECT max(gain * ${closeness}) FROM stretches WHERE at > starts - ${before} AND at < ends + ${after}
    ), 0)) AS score
    FROM (
      SELECT s."seq", s.score, ${TIME} AS at FROM scored s JOIN "keepsake_records" r ON r."seq" = s."seq" ${which}
    ) AS likely
    WHERE score * ${highest} >= (
      SELECT min(score) FROM (SELECT score FROM scored ${which} ORDER BY score DESC LIMIT ${size}) AS best
    )
  )`;
}

/** The time of a turn is when it was said; that of any other record, when it was last changed. */
export const TIME = `CASE WHEN r."thread" IS NULL AND r."version" > 1 THEN r."updated_ms" ELSE r."created_ms" END`;

/** Turns that can be results without a word of the query or a vector: the answer to a question, and what a reply replies to. */
const REPLIES = `
    SELECT CAST(later ->> 0 AS bigint) FROM runs WHERE ("flags" & ${ASKS}) <> 0
    UNION SELECT CAST(earlier ->> 0 AS bigint) FROM runs WHERE "speaker" = 'assistant'
  `;

/** How each database builds JSON. `json` marks a value that is JSON already, which SQLite forgets between steps. */
const JSON_IN = {
  postgresql: {
    all: (one: string) => `json_agg(${one})`,
    array: (elements: string) => `json_build_array(${elements})`,
    json: (value: string) => value,
    text: (value: string) => `CAST(${value} AS text)`,
  },
  sqlite: {
    all: (one: string) => `json_group_array(${one})`,
    array: (elements: string) => `json_array(${elements})`,
    json: (value: string) => `json(${value})`,
    text: (value: string) => value,
  },
} as const;

function elementsOf(dialect: Dialect, column: string): string {
  return dialect === 'postgresql'
    ? `SELECT CAST(json_array_elements_text(${column}) AS bigint) FROM runs`
    : `SELECT e."value" FROM runs, json_each(runs.${column}) e`;
}
