import type { FilterRule } from '@keepsake/core';
import { ASKS, FREQUENCY_STEPS, HOSTED_POOL, type HostedWord } from '@keepsake/search';
import type { Dialect } from './database.ts';
import type { Facts } from './facts.ts';
import { writeRules } from './filter-fields.ts';
import { liveIn } from './record-rows.ts';
import { rowsOf, Values, type Written } from './statement.ts';
import { type Place, tokenOf } from './tokens.ts';
import { cosineOf, type Meaning } from './vectors.ts';

/** What counts as one when searching: a word of the query in all its forms, or a group of words related to it. */
export interface Feature {
  /** The place of the word in the query. */
  readonly word: number;
  /** Lists of terms. The frequencies of the terms of a list are added; each list counts on its own. */
  readonly parts: readonly (readonly string[])[];
  readonly weight: number;
  /** The least number of records to assume that hold it. */
  readonly atLeast: number;
}

/** The features of a query: each word, followed by what is related to it. */
export function featuresOf(words: readonly HostedWord[], { named }: Facts): Feature[] {
  return words.flatMap(({ forms, terms, weight, related }, word) => [
    { word, parts: [terms], weight, atLeast: Math.max(0, ...forms.map(({ term }) => named.get(term) ?? 0)) },
    ...related.map((group) => ({
      word,
      parts: group.terms.map((term) => [term]),
      weight: weight * group.weight,
      atLeast: 0,
    })),
  ]);
}

export interface SearchQuery {
  readonly place: Place;
  readonly features: readonly Feature[];
  readonly facts: Facts;
  readonly rules: readonly FilterRule[];
  /** How many records the pool has at most, of all and of those that pass the rules. */
  readonly poolSize: number;
  /** Where there is an embedder. */
  readonly meaning: Meaning | undefined;
}

/** How many of the best records a search looks at. */
export function poolSizeOf(limit: number): number {
  return Math.max(HOSTED_POOL.size, HOSTED_POOL.sizePerHit * limit);
}

/** What the statement returns, each as JSON. */
export interface SearchRow {
  /** The number and the worth of each feature that any record has. */
  readonly worths: string | null;
  /** The best records by words and by meaning, with the turns around them. */
  readonly pool: string | null;
  /** The details of all records in the pool and around it that ranking may find or that lend score. */
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
  /** The numbers of the features that it has. */
  features: readonly number[] | null,
  /** Whether it passes the filter. */
  passes: number,
  thread: string | null,
  speaker: string | null,
  timeMs: number,
  flags: number,
  /** The cosine of its vector with that of the query; `null` where it has no vector. */
  cosine: number | null,
];

/**
 * Finds the best records by words, by BM25, and the turns around them and around the nearest by meaning. Scores all records
 * of the namespace that hold a word of the query, which are read from the full-text index.
 */
export function searchStatement(dialect: Dialect, query: SearchQuery): Written {
  const { place, rules, poolSize, meaning } = query;
  const values = new Values(dialect);
  const { all, array, json, text } = JSON_IN[dialect];
  const passes = `CASE WHEN ${writeRules(dialect, rules, values)} THEN 1 ELSE 0 END`;
  const size = values.whole(poolSize);
  const best = (which: string) =>
    `SELECT * FROM (SELECT "seq" FROM scored ${which} ORDER BY score DESC, "seq" DESC LIMIT ${size}) AS best`;
  const nearest = meaning?.nearest.map((seq) => [seq]);
  const pools = [
    best(''),
    ...(rules.length === 0 ? [] : [best('WHERE passes = 1')]),
    ...(nearest === undefined ? [] : [rowsOf(dialect, nearest, ['bigint'], values)]),
  ];
  const key = values.text(place.key);
  const cosine = meaning === undefined ? 'NULL' : `(${cosineOf(meaning, 'f."seq"', values)})`;
  const foundRow = `SELECT ${array(`f."seq", f.score, ${json('f.features')}, f.passes, r."thread", r."speaker", ${TIME}, r."flags", ${cosine}`)}
    FROM "keepsake_records" r WHERE r."seq" = f."seq"`;
  const beside = (sign: string, order: string) => `(
    SELECT ${all('"seq"')} FROM (
      SELECT r."seq" FROM "keepsake_records" r
      WHERE r."namespace_key" = ${key} AND r."thread" = p."thread" AND r."language" IS NOT NULL
        AND (r."turn_index", r."seq") ${sign} (p."turn_index", p."seq")
      ORDER BY r."turn_index" ${order}, r."seq" ${order} LIMIT ${HOSTED_POOL.around}
    ) AS beside
  )`;
  // SQLite runs a step without MATERIALIZED again for each step that reads it.
  const sql = `WITH ${scoringSteps(dialect, query, passes, values)},
  pool("seq") AS (${pools.join(' UNION ')}),
  spans("seq", "speaker", "flags", earlier, later) AS MATERIALIZED (
    SELECT p."seq", p."speaker", p."flags", ${beside('<', 'DESC')}, ${beside('>', 'ASC')} FROM ${recordsOf(dialect, 'pool')}
  ),
  near("seq") AS (
    SELECT "seq" FROM spans UNION ${elementsOf(dialect, 'earlier')} UNION ${elementsOf(dialect, 'later')}
  ),
  wordless("seq") AS (${meaning === undefined ? REPLIES : 'SELECT "seq" FROM near'}),
  found("seq", score, features, passes) AS (
    SELECT "seq", sum(worth * share), ${all('feature')}, max(passes) FROM posting JOIN worths USING (feature)
    WHERE "seq" IN (SELECT "seq" FROM near) GROUP BY "seq"
    UNION ALL SELECT p."seq", 0, NULL, ${passes} FROM ${recordsOf(dialect, 'wordless')}
    WHERE p."seq" NOT IN (SELECT "seq" FROM posting) AND p."language" IS NOT NULL AND ${liveIn(dialect, 'p')}
  )
  SELECT ${text(`(SELECT ${all(array('feature, worth'))} FROM worths)`)} AS "worths",
    ${text(`(SELECT ${all(array(`"seq", ${json('earlier')}, ${json('later')}`))} FROM spans)`)} AS "pool",
    ${text(`(SELECT ${all(json(`(${foundRow})`))} FROM found f)`)} AS "found"`;
  return { sql, values };
}

/** A turn is of the time at which it was said; another record, of its last change. */
const TIME = `CASE WHEN r."thread" IS NULL AND r."version" > 1 THEN r."updated_ms" ELSE r."created_ms" END`;

/** The turns that may be found without a word of the query or a vector: the answer to a question, and what a reply replies to. */
const REPLIES = `
    SELECT CAST(later ->> 0 AS bigint) FROM spans WHERE ("flags" & ${ASKS}) <> 0
    UNION SELECT CAST(earlier ->> 0 AS bigint) FROM spans WHERE "speaker" = 'assistant'
  `;

/** A step and its records as `p`, each looked up by its key: a database that guesses wrong would read the whole table. */
function recordsOf(dialect: Dialect, step: string): string {
  return dialect === 'postgresql'
    ? `${step} CROSS JOIN LATERAL (SELECT * FROM "keepsake_records" WHERE "seq" = ${step}."seq" OFFSET 0) AS p`
    : `${step} CROSS JOIN "keepsake_records" AS p ON p."seq" = ${step}."seq"`;
}

/** How each database builds JSON. `json` marks a value that is JSON already: SQLite forgets that from one step to the next. */
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
 * The steps that score: `posting` has the features of each record and the share of their worth that it gets; `worths`, what
 * each feature is worth; `scored`, the score of each record.
 */
function scoringSteps(dialect: Dialect, query: SearchQuery, passes: string, values: Values): string {
  const { features, facts } = query;
  const total = values.real(facts.records);
  const [least, greatest] = dialect === 'postgresql' ? ['least', 'greatest'] : ['min', 'max'];
  const weights = features.map(({ weight, atLeast }, feature) => [feature, weight, atLeast]);
  const timesIn = dialect === 'postgresql' ? timesInPostgres : timesInSqlite;
  return `weights(feature, weight, at_least) AS (
    ${rowsOf(dialect, weights, ['integer', 'double precision', 'double precision'], values)}
  ),
  holding("seq", "word_count", passes, feature, times) AS (${timesIn(query, passes, values)}),
  posting("seq", passes, feature, share) AS MATERIALIZED (
    SELECT "seq", passes, feature, ${shareOf(facts, values)} FROM holding
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

/** BM25's share of a feature for a record: of its frequency, rounded to the nearest of `FREQUENCY_STEPS`, and its length. */
function shareOf({ lengths }: Facts, values: Values): string {
  const { k1, b, average } = lengths;
  const saturation = `(${values.real(k1 * (1 - b))} + ${values.real((k1 * b) / average)} * "word_count")`;
  const shares = FREQUENCY_STEPS.map((step, place) => {
    const next = FREQUENCY_STEPS[place + 1];
    const share = `${step} / (${step} + ${saturation})`;
    return next === undefined ? `ELSE ${share}` : `WHEN times < ${(step + next) / 2} THEN ${share}`;
  });
  return `CASE ${shares.join(' ')} END`;
}

type Word = readonly [token: string, feature: number, part: number];

function wordsOf({ place, features }: SearchQuery): Word[] {
  return features.flatMap(({ parts }, feature) =>
    parts.flatMap((terms, part) => terms.map((term): Word => [tokenOf(place, term), feature, part])),
  );
}

/** The live records that have a feature, and how often. */
function timesInPostgres(query: SearchQuery, passes: string, values: Values): string {
  const { place, rules } = query;
  const words = wordsOf(query);
  const column = (field: 0 | 1 | 2) => values.texts(words.map((word) => `${word[field]}`));
  const found = `keepsake_find_words(${column(0)}, CAST(${column(1)} AS integer[]), CAST(${column(2)} AS integer[]), ${values.text(place.key)})`;
  // Only a filter needs the records themselves.
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
