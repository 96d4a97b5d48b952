import type { FilterRule } from '@keepsake/core';
import { BM25, HOSTED_POOL, type HostedWord } from '@keepsake/search';
import type { Dialect } from './database.ts';
import type { Facts } from './facts.ts';
import { writeRules } from './filter-fields.ts';
import { liveIn } from './record-rows.ts';
import { rowsOf, Values, type Written } from './statement.ts';
import { type Place, tokenOf } from './tokens.ts';

/** What is looked for as one: a word of the query in its forms, or what is related to it. */
export interface Feature {
  /** Which word of the query. */
  readonly word: number;
  /** The terms of a word are one, which a record has so many times; of what is related, each counts by itself. */
  readonly parts: readonly (readonly string[])[];
  readonly weight: number;
  /** How many records are to be taken for holding it, at least. */
  readonly atLeast: number;
}

/** What is looked for, word by word; what is related only where there are conversations. */
export function featuresOf(words: readonly HostedWord[], { talks, named }: Facts): Feature[] {
  return words.flatMap(({ forms, terms, times, related }, word) => [
    {
      word,
      parts: [terms],
      weight: times,
      atLeast: Math.max(0, ...forms.map(({ term }) => named.get(term) ?? 0)),
    },
    ...(talks ? related : []).map((group) => ({
      word,
      parts: group.terms.map((term) => [term]),
      weight: times * group.weight,
      atLeast: 0,
    })),
  ]);
}

export interface SearchQuery {
  readonly place: Place;
  readonly features: readonly Feature[];
  readonly facts: Facts;
  readonly rules: readonly FilterRule[];
  readonly limit: number;
}

/** What the statement gives, each as JSON. */
export interface SearchRow {
  /** Of each feature that is there its number, and what it is worth. */
  readonly worths: string | null;
  /** The best by their words. */
  readonly pool: string | null;
  /** Those of the pool, the turns around them that hold a word too, and those that may answer one. */
  readonly found: string | null;
}

export type PoolRow = readonly [
  seq: number,
  /** The turns before and after it in its conversation, the nearest first. */
  earlier: readonly number[] | null,
  later: readonly number[] | null,
];

export type FoundRow = readonly [
  seq: number,
  /** BM25. */
  score: number,
  /** The numbers of the features that it holds; none for an answer that holds no word. */
  features: readonly number[] | null,
  /** Whether it passes the filter. */
  passes: number,
  thread: string | null,
  speaker: string | null,
  createdMs: number,
  flags: number,
];

/**
 * Finds the best by their words, by BM25, and what stands around them. The words are counted in the index of the database,
 * those of this namespace alone; as many records are scored as hold one of them.
 */
export function searchStatement(dialect: Dialect, query: SearchQuery): Written {
  const { place, rules, limit } = query;
  const values = new Values(dialect);
  const { all, array, json, text } = JSON_IN[dialect];
  const passes = `CASE WHEN ${writeRules(dialect, rules, values)} THEN 1 ELSE 0 END`;
  const size = values.whole(Math.max(HOSTED_POOL.size, HOSTED_POOL.sizePerHit * limit));
  const best = (which: string) =>
    `SELECT * FROM (SELECT "seq" FROM scored ${which} ORDER BY score DESC, "seq" DESC LIMIT ${size}) AS best`;
  const key = values.text(place.key);
  const foundRow = `SELECT ${array(`f."seq", f.score, ${json('f.features')}, f.passes, r."thread", r."speaker", r."created_ms", r."flags"`)}
    FROM "keepsake_records" r WHERE r."seq" = f."seq"`;
  const beside = (sign: string, order: string) => `(
    SELECT ${all('"seq"')} FROM (
      SELECT r."seq" FROM "keepsake_records" r
      WHERE r."namespace_key" = ${key} AND r."thread" = p."thread" AND r."language" IS NOT NULL
        AND (r."turn_index", r."seq") ${sign} (p."turn_index", p."seq")
      ORDER BY r."turn_index" ${order}, r."seq" ${order} LIMIT ${HOSTED_POOL.around}
    ) AS beside
  )`;
  // For SQLite: CROSS JOIN has it begin with what is on the left, where it may read the other table once a row; and without
  // MATERIALIZED it does a step again wherever another looks at it.
  const sql = `WITH ${scoringSteps(dialect, query, passes, values)},
  pool("seq") AS (${best('')}${rules.length === 0 ? '' : ` UNION ${best('WHERE passes = 1')}`}),
  spans("seq", "flags", earlier, later) AS MATERIALIZED (
    SELECT p."seq", p."flags", ${beside('<', 'DESC')}, ${beside('>', 'ASC')}
    FROM pool CROSS JOIN "keepsake_records" p WHERE p."seq" = pool."seq"
  ),
  near("seq") AS (
    SELECT "seq" FROM spans UNION ${elementsOf(dialect, 'earlier')} UNION ${elementsOf(dialect, 'later')}
  ),
  found("seq", score, features, passes) AS (
    SELECT "seq", sum(worth * share), ${all('feature')}, max(passes) FROM posting JOIN worths USING (feature)
    WHERE "seq" IN (SELECT "seq" FROM near) GROUP BY "seq"
    UNION ALL SELECT "seq", 0, NULL, ${passes} FROM "keepsake_records"
    WHERE "seq" IN (SELECT CAST(later ->> 0 AS bigint) FROM spans WHERE "flags" % 2 = 1)
      AND "seq" NOT IN (SELECT "seq" FROM posting) AND ${liveIn(dialect)}
  )
  SELECT ${text(`(SELECT ${all(array('feature, worth'))} FROM worths)`)} AS "worths",
    ${text(`(SELECT ${all(array(`"seq", ${json('earlier')}, ${json('later')}`))} FROM spans)`)} AS "pool",
    ${text(`(SELECT ${all(json(`(${foundRow})`))} FROM found f)`)} AS "found"`;
  return { sql, values };
}

/** How the databases make JSON; `json` is of what is JSON already, which SQLite forgets from one step to the next. */
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
    ? `SELECT CAST(json_array_elements_text(${column}) AS bigint) FROM spans`
    : `SELECT e."value" FROM spans, json_each(spans.${column}) e`;
}

/**
 * Steps of a statement: `posting`, which records hold which feature, and what share of its worth they score for it; `worths`,
 * of each feature that is there what it is worth; and `scored`, the records with their scores.
 */
function scoringSteps(dialect: Dialect, query: SearchQuery, passes: string, values: Values): string {
  const { features, facts } = query;
  const [total, average] = [values.real(facts.records), values.real(facts.averageLength)];
  const [least, greatest] = dialect === 'postgresql' ? ['least', 'greatest'] : ['min', 'max'];
  const length = `${BM25.k1} * (${1 - BM25.b} + ${BM25.b} * "word_count" / ${average})`;
  const weights = features.map(({ weight, atLeast }, feature) => [feature, weight, atLeast]);
  const timesIn = dialect === 'postgresql' ? timesInPostgres : timesInSqlite;
  return `weights(feature, weight, at_least) AS (
    ${rowsOf(dialect, weights, ['integer', 'double precision', 'double precision'], values)}
  ),
  holding("seq", "word_count", passes, feature, times) AS (${timesIn(query, passes, values)}),
  posting("seq", passes, feature, share) AS MATERIALIZED (
    SELECT "seq", passes, feature, times / (times + ${length}) FROM holding
  ),
  counted(feature, n) AS (
    SELECT feature, ${greatest}(max(at_least), count(*)) FROM posting JOIN weights USING (feature) GROUP BY feature
  ),
  worths(feature, worth) AS MATERIALIZED (
    SELECT feature, weight * ln(1 + (${greatest}(${total} - n, 0) + 0.5) / (${least}(n, ${total}) + 0.5))
    FROM counted JOIN weights USING (feature)
  ),
  scored("seq", score, passes) AS (
    SELECT "seq", sum(worth * share), max(passes) FROM posting JOIN worths USING (feature) GROUP BY "seq"
  )`;
}

type Word = readonly [token: string, feature: number, part: number];

function wordsOf({ place, features }: SearchQuery): Word[] {
  return features.flatMap(({ parts }, feature) =>
    parts.flatMap((terms, part) => terms.map((term): Word => [tokenOf(place, term), feature, part])),
  );
}

/** Which records that are not over hold which feature, and how often. */
function timesInPostgres(query: SearchQuery, passes: string, values: Values): string {
  const { place, rules } = query;
  const words = wordsOf(query);
  const column = (field: 0 | 1 | 2) => values.texts(words.map((word) => `${word[field]}`));
  const found = `keepsake_find_words(${column(0)}, CAST(${column(1)} AS integer[]), CAST(${column(2)} AS integer[]), ${values.text(place.key)})`;
  // The records themselves are looked at once more where there is something to filter by.
  return rules.length === 0
    ? `SELECT "seq", "word_count", 1, "feature", "times" FROM ${found}`
    : `SELECT "seq", f."word_count", ${passes}, "feature", "times" FROM ${found} f JOIN "keepsake_records" USING ("seq")`;
}

function timesInSqlite(query: SearchQuery, passes: string, values: Values): string {
  const words = rowsOf('sqlite', wordsOf(query), ['text', 'integer', 'integer'], values);
  return `WITH words(token, feature, part) AS (${words}),
    counts("seq", feature, times) AS MATERIALIZED (
      SELECT "doc", feature, count(*) FROM words CROSS JOIN "keepsake_record_terms" ON "term" = token
      GROUP BY "doc", feature, part
    )
    SELECT "seq", "word_count", ${passes}, feature, times FROM counts CROSS JOIN "keepsake_records" USING ("seq")
    WHERE "namespace_key" = ${values.text(query.place.key)} AND ${liveIn('sqlite')}`;
}
