import type { FilterRule } from '@keepsake/core';
import { BM25, HOSTED_POOL, type HostedWord } from '@keepsake/search';
import type { Dialect } from './database.ts';
import type { Facts } from './facts.ts';
import { writeRules } from './filter-fields.ts';
import { ASKS } from './put-records.ts';
import { liveIn } from './record-rows.ts';
import { Values } from './statement.ts';
import { type Place, tokenOf } from './tokens.ts';

/** What is looked for as one: a word of the query in its forms, or what is related to it. */
export interface Feature {
  /** Which word of the query. */
  readonly word: number;
  readonly isRelated: boolean;
  readonly terms: readonly string[];
  readonly weight: number;
  /** How many records are to be taken for holding it, at least. */
  readonly atLeast: number;
}

/** What is looked for, word by word; what is related only where there are conversations. */
export function featuresOf(words: readonly HostedWord[], { talks, named }: Facts): Feature[] {
  return words.flatMap(({ forms, terms, times, related }, word) => [
    {
      word,
      isRelated: false,
      terms,
      weight: times,
      atLeast: Math.max(0, ...forms.map(({ term }) => named.get(term) ?? 0)),
    },
    ...(talks ? related : []).map((group) => ({
      word,
      isRelated: true,
      terms: group.terms,
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
  /** The best by their words, and the turns around them that hold a word too or may answer: see {@link FoundRow}. */
  readonly found: string | null;
}

export type FoundRow = readonly [
  seq: number,
  /** BM25. */
  score: number,
  /** The numbers of the features that it holds; none for an answer that holds no word. */
  features: readonly number[] | null,
  /** Whether it passes the filter. */
  passes: number,
  thread: string | null,
  turnIndex: number | null,
  speaker: string | null,
  createdMs: number,
  flags: number,
];

const HIT_COLUMNS = '"seq", "word_count", "thread", "turn_index", "speaker", "created_ms", "flags"';

/**
 * Finds the best by their words, by BM25, and what stands around them. The words are counted in the index of the database,
 * those of this namespace alone; as many records are scored as hold one of them.
 */
export function searchStatement(
  dialect: Dialect,
  { place, features, facts, rules, limit }: SearchQuery,
): { readonly sql: string; readonly values: Values } {
  const values = new Values(dialect);
  const isPostgres = dialect === 'postgresql';
  const passes = `CASE WHEN ${writeRules(dialect, rules, values)} THEN 1 ELSE 0 END`;
  const pool = Math.max(HOSTED_POOL.size, HOSTED_POOL.sizePerHit * limit);
  const best = (which: string) =>
    `SELECT * FROM (SELECT "seq", "thread", "turn_index", "flags" FROM scored ${which} ORDER BY score DESC, "seq" DESC LIMIT ${values.whole(pool)}) AS best`;
  const { around } = HOSTED_POOL;
  const [group, array, text] = isPostgres
    ? ['json_agg', 'json_build_array', (json: string) => `CAST(${json} AS text)`]
    : ['json_group_array', 'json_array', (json: string) => json];
  const features_ = isPostgres ? 'array_agg(p.f)' : 'json_group_array(p.f)';
  const asJson = isPostgres ? 'array_to_json(held)' : 'json(held)';
  const sql = `WITH ${isPostgres ? matchesInPostgres(place, features, passes, values) : matchesInSqlite(place, features, passes, values)},
  weights(f, weight, at_least) AS (VALUES ${features.map(({ weight, atLeast }, f) => `(${f}, ${values.real(weight)}, ${values.real(atLeast)})`).join(', ')}),
  counted(f, n) AS (SELECT f, count(*) FROM posting GROUP BY f),
  holding(f, weight, n) AS (
    SELECT f, weight, CASE WHEN n > ${values.real(facts.records)} THEN n WHEN at_least > n THEN at_least ELSE n END
    FROM counted JOIN weights USING (f)
  ),
  worths(f, worth) AS (
    SELECT f, weight * ln(1 + (CASE WHEN n > ${values.real(facts.records)} THEN n ELSE ${values.real(facts.records)} END - n + 0.5) / (n + 0.5)) FROM holding
  ),
  scores("seq", score, held) AS (
    SELECT p."seq", sum(w.worth * p.tf / (p.tf + ${BM25.k1} * (${1 - BM25.b} + ${BM25.b} * hit."word_count" / ${values.real(facts.averageLength)}))), ${features_}
    FROM posting p JOIN worths w ON w.f = p.f JOIN hit ON hit."seq" = p."seq" GROUP BY p."seq"
  ),
  scored AS (SELECT hit.*, score, held FROM hit JOIN scores ON scores."seq" = hit."seq"),
  pool AS (${best('')}${rules.length === 0 ? '' : ` UNION ${best('WHERE passes = 1')}`}),
  near("seq") AS (
    SELECT "seq" FROM pool
    UNION SELECT hit."seq" FROM pool JOIN hit ON hit."thread" = pool."thread"
      AND hit."turn_index" BETWEEN pool."turn_index" - ${around} AND pool."turn_index" + ${around}
  ),
  answers AS (
    SELECT ${HIT_COLUMNS}, ${passes} AS passes FROM "keepsake_records"
    WHERE "seq" IN (
      SELECT r."seq" FROM pool JOIN "keepsake_records" r
        ON r."namespace_key" = ${values.text(place.key)} AND r."thread" = pool."thread" AND r."turn_index" = pool."turn_index" + 1
      WHERE pool."flags" % 2 = ${ASKS} AND ${liveIn(dialect, 'r')} AND r."language" IS NOT NULL
    ) AND "seq" NOT IN (SELECT "seq" FROM hit)
  ),
  found AS (
    SELECT ${array}(s."seq", s.score, ${asJson}, s.passes, s."thread", s."turn_index", s."speaker", s."created_ms", s."flags") AS one
    FROM scored s JOIN near ON near."seq" = s."seq"
    UNION ALL SELECT ${array}("seq", 0, NULL, passes, "thread", "turn_index", "speaker", "created_ms", "flags") FROM answers
  )
  SELECT (SELECT ${text(`${group}(${array}(f, worth))`)} FROM worths) AS "worths",
    (SELECT ${text(`${group}(${isPostgres ? 'one' : 'json(one)'})`)} FROM found) AS "found"`;
  return { sql, values };
}

/**
 * `hit`, the records that hold any of the features, and `posting`, which of them they hold and how often.
 *
 * How often is read off `ts_rank`, which for one word at n places is a tenth of 1/1² + 1/2² + … + 1/n² over π²/6: that sum
 * is π²/6 less about 1 / (n + 0.5).
 */
function matchesInPostgres(place: Place, features: readonly Feature[], passes: string, values: Values): string {
  const query = (terms: readonly string[]) =>
    `CAST(${values.text(terms.map((term) => `'${tokenOf(place, term)}'`).join(' | '))} AS tsquery)`;
  const times = (term: string) => `round(0.6079271 / (1 - 10 * ts_rank("words", ${query([term])})) - 0.5)`;
  const any = query([...new Set(features.flatMap(({ terms }) => terms))]);
  const counts = features.map(({ terms, isRelated }, f) =>
    isRelated
      ? `(${f}, CASE WHEN "words" @@ ${query(terms)} THEN 1 ELSE 0 END)`
      : `(${f}, ${terms.map(times).join(' + ')})`,
  );
  return `hit AS MATERIALIZED (
    SELECT ${HIT_COLUMNS}, ${passes} AS passes, ${counts.map((count, f) => `${count.replace(/^\(\d+, (.*)\)$/s, '$1')} AS tf${f}`).join(', ')}
    FROM "keepsake_records"
    WHERE "words" @@ ${any} AND "namespace_key" = ${values.text(place.key)} AND ${liveIn('postgresql')}
  ),
  posting("seq", f, tf) AS MATERIALIZED (
    SELECT "seq", v.f, v.tf FROM hit CROSS JOIN LATERAL (VALUES ${features.map((_, f) => `(${f}, tf${f})`).join(', ')}) AS v(f, tf)
    WHERE v.tf > 0
  )`;
}

function matchesInSqlite(place: Place, features: readonly Feature[], passes: string, values: Values): string {
  const counts = features.map(({ terms, isRelated }, f) => {
    const tokens = terms.map((term) => values.text(tokenOf(place, term))).join(', ');
    return `SELECT "doc", ${f}, ${isRelated ? '1' : 'count(*)'} FROM "keepsake_record_terms" WHERE "term" IN (${tokens}) GROUP BY "doc"`;
  });
  return `counts("seq", f, tf) AS MATERIALIZED (${counts.join(' UNION ALL ')}),
  hit AS MATERIALIZED (
    SELECT ${HIT_COLUMNS}, ${passes} AS passes FROM "keepsake_records"
    WHERE "seq" IN (SELECT "seq" FROM counts) AND "namespace_key" = ${values.text(place.key)} AND ${liveIn('sqlite')}
  ),
  posting("seq", f, tf) AS MATERIALIZED (SELECT counts.* FROM counts JOIN hit ON hit."seq" = counts."seq")`;
}
