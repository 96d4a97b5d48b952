import type { FilterRule } from '@keepsake/core';
import { BM25, HOSTED_POOL, type HostedWord } from '@keepsake/search';
import type { Dialect } from './database.ts';
import type { Facts } from './facts.ts';
import { writeRules } from './filter-fields.ts';
import { liveIn } from './record-rows.ts';
import { Values, type Written } from './statement.ts';
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

const HIT_COLUMNS = '"seq", "word_count", "thread", "turn_index", "speaker", "created_ms", "flags"';

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
    `SELECT * FROM (SELECT "seq", "thread", "turn_index", "flags" FROM scored ${which} ORDER BY score DESC, "seq" DESC LIMIT ${size}) AS best`;
  const scored = (dialect === 'postgresql' ? scoredInPostgres : scoredInSqlite)(query, passes, values);
  const key = values.text(place.key);
  const beside = (sign: string, order: string) => `(
    SELECT ${all('"seq"')} FROM (
      SELECT r."seq" FROM "keepsake_records" r
      WHERE r."namespace_key" = ${key} AND r."thread" = pool."thread" AND r."language" IS NOT NULL
        AND (r."turn_index", r."seq") ${sign} (pool."turn_index", pool."seq")
      ORDER BY r."turn_index" ${order}, r."seq" ${order} LIMIT ${HOSTED_POOL.around}
    ) AS beside
  )`;
  const sql = `WITH ${scored.steps},
  pool AS (${best('')}${rules.length === 0 ? '' : ` UNION ${best('WHERE passes = 1')}`}),
  spans("seq", "flags", earlier, later) AS (
    SELECT "seq", "flags", ${beside('<', 'DESC')}, ${beside('>', 'ASC')} FROM pool
  ),
  near("seq") AS (
    SELECT "seq" FROM spans UNION ${elementsOf(dialect, 'earlier')} UNION ${elementsOf(dialect, 'later')}
  ),
  answers AS (
    SELECT ${HIT_COLUMNS}, ${passes} AS passes FROM "keepsake_records"
    WHERE "seq" IN (SELECT CAST(later ->> 0 AS bigint) FROM spans WHERE "flags" % 2 = 1) AND "seq" NOT IN (SELECT "seq" FROM hit)
      AND ${liveIn(dialect)}
  ),
  found(one) AS (
    SELECT ${array(`s."seq", s.score, ${json(scored.features('s'))}, s.passes, s."thread", s."speaker", s."created_ms", s."flags"`)}
    FROM scored s JOIN near ON near."seq" = s."seq"
    UNION ALL SELECT ${array('"seq", 0, NULL, passes, "thread", "speaker", "created_ms", "flags"')} FROM answers
  )
  SELECT ${text(`(SELECT ${all(array('feature, worth'))} FROM worths)`)} AS "worths",
    ${text(`(SELECT ${all(array(`"seq", ${json('earlier')}, ${json('later')}`))} FROM spans)`)} AS "pool",
    ${text(`(SELECT ${all(json('one'))} FROM found)`)} AS "found"`;
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

/** How the records that hold a word are scored. */
interface Scored {
  /**
   * Steps of a statement. The last are `hit`, the records that hold any of the features, `scored`, the same with their
   * scores, and `worths`, of each feature that is there what it is worth.
   */
  readonly steps: string;
  /** The numbers of the features that a record of `scored` holds, as JSON. */
  features(record: string): string;
}

/** What a feature is worth that so many records hold. */
function worthOf(dialect: Dialect, n: string, total: string): string {
  const [least, greatest] = dialect === 'postgresql' ? ['least', 'greatest'] : ['min', 'max'];
  return `ln(1 + (${greatest}(${total} - ${n}, 0) + 0.5) / (${least}(${n}, ${total}) + 0.5))`;
}

/** What a record that has a feature so many times scores for it. */
function scoreOf(worth: string, times: string, record: string, average: string): string {
  const length = `${BM25.k1} * (${1 - BM25.b} + ${BM25.b} * ${record}."word_count" / ${average})`;
  return `${worth} * ${times} / (${times} + ${length})`;
}

/**
 * Each part of a feature is a column of the records, so that none of them is sorted or joined to be scored.
 *
 * How often a record has a word is read off `ts_rank`, which for one word at n places is a tenth of
 * 1/1² + 1/2² + … + 1/n² over π²/6: that sum is π²/6 less about 1 / (n + 0.5).
 */
function scoredInPostgres({ place, features, facts }: SearchQuery, passes: string, values: Values): Scored {
  const [total, average] = [values.real(facts.records), values.real(facts.averageLength)];
  const query = (terms: readonly string[]) =>
    `CAST(${values.text(terms.map((term) => `'${tokenOf(place, term)}'`).join(' | '))} AS tsquery)`;
  const times = (term: string) => `round(0.6079271 / (1 - 10 * ts_rank("words", ${query([term])})) - 0.5)`;
  const any = query([...new Set(features.flatMap(({ parts }) => parts.flat()))]);
  const counts = features.flatMap(({ parts }, feature) =>
    parts.map((terms, part) => `${terms.map(times).join(' + ')} AS times${feature}_${part}`),
  );
  const partsOf = (feature: number, of: string) =>
    features[feature]?.parts.map((_, part) => `${of}times${feature}_${part}`) ?? [];
  const each = (write: (feature: number) => string, between: string) =>
    features.map((_, feature) => write(feature)).join(between);
  const count = (feature: number) =>
    `${partsOf(feature, '')
      .map((part) => `count(*) FILTER (WHERE ${part} > 0)`)
      .join(' + ')} AS n${feature}`;
  const worth = (feature: number) => {
    const { weight, atLeast } = features[feature] as Feature;
    const n = `greatest(n${feature}, ${values.real(atLeast)})`;
    return `CASE WHEN n${feature} > 0 THEN ${values.real(weight)} * ${worthOf('postgresql', n, total)} ELSE 0 END AS worth${feature}`;
  };
  const score = (feature: number) =>
    partsOf(feature, 'hit.')
      .map((part) => scoreOf(`worth${feature}`, part, 'hit', average))
      .join(' + ');
  const steps = `hit AS MATERIALIZED (
    SELECT ${HIT_COLUMNS}, ${passes} AS passes, ${counts.join(', ')} FROM "keepsake_records"
    WHERE "words" @@ ${any} AND "namespace_key" = ${values.text(place.key)} AND ${liveIn('postgresql')}
  ),
  counted AS (SELECT ${each(count, ', ')} FROM hit),
  valued AS MATERIALIZED (SELECT ${each(worth, ', ')} FROM counted),
  scored AS MATERIALIZED (SELECT hit.*, ${each(score, ' + ')} AS score FROM hit CROSS JOIN valued),
  worths(feature, worth) AS (
    SELECT each.* FROM valued CROSS JOIN LATERAL (VALUES ${each((feature) => `(${feature}, worth${feature})`, ', ')}) AS each(feature, worth)
    WHERE each.worth > 0
  )`;
  const held = (record: string) => (feature: number) =>
    `CASE WHEN ${partsOf(feature, `${record}.`)
      .map((part) => `${part} > 0`)
      .join(' OR ')} THEN ${feature} END`;
  return {
    steps,
    features: (record) => `array_to_json(array_remove(ARRAY[${each(held(record), ', ')}], NULL))`,
  };
}

function scoredInSqlite({ place, features, facts }: SearchQuery, passes: string, values: Values): Scored {
  const [total, average] = [values.real(facts.records), values.real(facts.averageLength)];
  const counts = features.flatMap(({ parts }, feature) =>
    parts.map((terms) => {
      const tokens = terms.map((term) => values.text(tokenOf(place, term))).join(', ');
      return `SELECT "doc", ${feature}, count(*) FROM "keepsake_record_terms" WHERE "term" IN (${tokens}) GROUP BY "doc"`;
    }),
  );
  const steps = `counts("seq", feature, times) AS MATERIALIZED (${counts.join(' UNION ALL ')}),
  hit AS MATERIALIZED (
    SELECT ${HIT_COLUMNS}, ${passes} AS passes FROM "keepsake_records"
    WHERE "seq" IN (SELECT "seq" FROM counts) AND "namespace_key" = ${values.text(place.key)} AND ${liveIn('sqlite')}
  ),
  posting("seq", feature, times) AS MATERIALIZED (SELECT counts.* FROM counts JOIN hit ON hit."seq" = counts."seq"),
  weights(feature, weight, at_least) AS (VALUES ${features
    .map(({ weight, atLeast }, feature) => `(${feature}, ${values.real(weight)}, ${values.real(atLeast)})`)
    .join(', ')}),
  counted(feature, n) AS (
    SELECT feature, max(max(at_least), count(*)) FROM posting JOIN weights USING (feature) GROUP BY feature
  ),
  worths(feature, worth) AS (
    SELECT feature, weight * ${worthOf('sqlite', 'n', total)} FROM counted JOIN weights USING (feature)
  ),
  scores("seq", score, features) AS (
    SELECT p."seq", sum(${scoreOf('w.worth', 'p.times', 'h', average)}), json_group_array(p.feature)
    FROM posting p JOIN worths w ON w.feature = p.feature JOIN hit h ON h."seq" = p."seq" GROUP BY p."seq"
  ),
  scored AS (SELECT hit.*, score, features FROM hit JOIN scores ON scores."seq" = hit."seq")`;
  return { steps, features: (record) => `${record}.features` };
}
