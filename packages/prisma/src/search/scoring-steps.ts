import type { FilterRule } from '@keepsake/core/adapter';
import { FREQUENCY_STEPS, type LengthNorm, type TimeStretches } from '@keepsake/search/remote';
import { liveIn } from '../database/clock.ts';
import type { Dialect } from '../database/dialect.ts';
import { rowsOf, Values, type Written } from '../database/statement.ts';
import type { NamespaceKey } from '../stores/namespace-key.ts';
import type { Feature, WeighedFeature } from './features.ts';
import { recordsOf } from './records-of.ts';
import { wordLists } from './word-lists.ts';

/** The worth of each feature. */
export type Worths =
  | {
      /** Computed from the records in the namespace that have each feature (its IDF). */
      readonly kind: 'counted';
      /** All records in the namespace. */
      readonly records: number;
      readonly weights: readonly Pick<WeighedFeature, 'weight' | 'atLeast'>[];
    }
  | { readonly kind: 'given'; readonly worths: readonly number[] };

/** Which records to score, and how. */
export interface ScoringQuery {
  readonly namespace: NamespaceKey;
  readonly features: readonly Feature[];
  readonly worths: Worths;
  readonly norm: LengthNorm;
  readonly rules: readonly FilterRule[];
  /** The times that the query names. */
  readonly times: readonly TimeStretches[];
}

/**
 * The scoring steps: `posting` has the features of each record with the share of their worth that it gets, `worths` the
 * worth of each feature, and `scored` the score of each record.
 */
export function scoringSteps(dialect: Dialect, query: ScoringQuery, passes: string, values: Values): string {
  const { worths, norm, rules, times } = query;
  const isReadTwice = rules.length + times.length > 0;
  const isCounted = worths.kind === 'counted';
  const { inputs, steps } = isCounted ? countedWorths(dialect, worths, values) : givenWorths(dialect, worths, values);
  return [
    ...inputs,
    holdingStep(dialect, query, passes, values),
    `posting("seq", passes, feature, share) AS MATERIALIZED (
    SELECT "seq", passes, feature, ${shareOf(norm, values)} FROM holding
  )`,
    ...steps,
    `scored("seq", score, passes) AS ${isReadTwice ? 'MATERIALIZED ' : ''}(
    SELECT "seq", sum(worth * share), max(passes) FROM posting JOIN worths USING (feature) GROUP BY "seq"
  )`,
  ].join(',\n  ');
}

/**
 * The same for records that another step has found: `posting` and `worths`. The worths must be given.
 *
 * @param found - The step.
 */
export function scoringStepsOf(
  dialect: Dialect,
  found: string,
  query: ScoringQuery,
  passes: string,
  values: Values,
): string {
  const { worths, norm, rules } = query;
  return [
    ...givenWorths(dialect, worths as Extract<Worths, { kind: 'given' }>, values).steps,
    `posting("seq", passes, feature, share) AS MATERIALIZED (
    SELECT "seq", passes, feature, ${shareOf(norm, values)} FROM (
      SELECT m."seq", m."word_count", ${rules.length === 0 ? '1' : passes} AS passes, m.feature, m.times
      FROM ${matchesIn(dialect, found, query, values)} AS m ${rules.length === 0 ? '' : recordsOf(dialect, 'm', 'r')}
    ) AS holding
  )`,
  ].join(',\n  ');
}

/** How often records of a step have the words of features. */
function matchesIn(
  dialect: Dialect,
  found: string,
  { namespace, features }: Pick<ScoringQuery, 'namespace' | 'features'>,
  values: Values,
): string {
  if (dialect === 'sqlite') {
    const records = `SELECT r.* FROM ${found} ${recordsOf(dialect, found, 'r')}
      WHERE r."namespace_key" = ${values.text(namespace.key)} AND ${liveIn(dialect, 'r')}`;
    return `(${countedInTexts(records, namespace, features, values)})`;
  }
  const { tokens, features: numbers, parts } = wordLists(namespace, features);
  return `keepsake_match_words(${values.texts(tokens)}, CAST(${values.texts(numbers)} AS integer[]), CAST(${values.texts(parts)} AS integer[]),
      ${values.text(namespace.key)}, NULL, ARRAY(SELECT "seq" FROM ${found}))`;
}

/**
 * A query on SQLite for how often some records have the words of features, which counts them in the texts. For few records:
 * the full-text index tells it only for all that have a word.
 */
export function countedInTexts(
  records: string,
  namespace: NamespaceKey,
  features: readonly Feature[],
  values: Values,
): string {
  const words = wordLists(namespace, features).words.map(({ token, feature, part }) => [` ${token} `, feature, part]);
  // With two spaces between them, words that follow each other do not share one.
  return `WITH texts("seq", "word_count", text) AS MATERIALIZED (
      SELECT "seq", "word_count", ' ' || replace("words", ' ', '  ') || ' ' FROM (${records})
    ),
    wanted(word, feature, part) AS MATERIALIZED (${rowsOf('sqlite', words, ['text', 'integer', 'integer'], values)})
    SELECT "seq", "word_count", feature, part, sum((length(text) - length(replace(text, word, ''))) / length(word)) AS times
    FROM texts CROSS JOIN wanted WHERE instr(text, word) > 0 GROUP BY "seq", feature, part`;
}

/** Counts the records with each feature. Of a group of related words, a record counts once for each word that it has. */
export function countStatement(dialect: Dialect, namespace: NamespaceKey, features: readonly Feature[]): Written {
  const values = new Values(dialect);
  const holding = holdingStep(dialect, { namespace, features, rules: [] }, '1', values);
  const sql = `WITH ${holding}
  SELECT feature AS "feature", count(*) AS "records" FROM holding GROUP BY feature`;
  return { sql, values };
}

/** The steps that lead to `worths`, and those that they need first. */
interface WorthSteps {
  readonly inputs: readonly string[];
  readonly steps: readonly string[];
}

function countedWorths(
  dialect: Dialect,
  { records, weights }: Extract<Worths, { kind: 'counted' }>,
  values: Values,
): WorthSteps {
  const total = values.real(records);
  const [least, greatest] = dialect === 'postgresql' ? ['least', 'greatest'] : ['min', 'max'];
  const rows = weights.map(({ weight, atLeast }, feature) => [feature, weight, atLeast]);
  return {
    inputs: [
      `weights(feature, weight, at_least) AS (
    ${rowsOf(dialect, rows, ['integer', 'double precision', 'double precision'], values)}
  )`,
    ],
    steps: [
      `counted(feature, n) AS (
    SELECT feature, ${greatest}(max(at_least), count(*)) FROM posting JOIN weights USING (feature) GROUP BY feature
  )`,
      `worths(feature, worth) AS MATERIALIZED (
    SELECT feature, weight * ln(1 + (${greatest}(${total} - n, 0) + 0.5) / (${least}(n, ${total}) + 0.5))
    FROM counted JOIN weights USING (feature)
  )`,
    ],
  };
}

function givenWorths(dialect: Dialect, { worths }: Extract<Worths, { kind: 'given' }>, values: Values): WorthSteps {
  const rows = rowsOf(dialect, Array.from(worths.entries()), ['integer', 'double precision'], values);
  return { inputs: [], steps: [`worths(feature, worth) AS MATERIALIZED (${rows})`] };
}

/** BM25's term frequency factor of a feature, with the frequency rounded to the nearest of `FREQUENCY_STEPS`. */
function shareOf({ k1, b, average }: LengthNorm, values: Values): string {
  const saturation = `(${values.real(k1 * (1 - b))} + ${values.real((k1 * b) / average)} * "word_count")`;
  const shares = FREQUENCY_STEPS.map((step, index) => {
    const next = FREQUENCY_STEPS[index + 1];
    const share = `${step} / (${step} + ${saturation})`;
    return next === undefined ? `ELSE ${share}` : `WHEN times < ${(step + next) / 2} THEN ${share}`;
  });
  return `CASE ${shares.join(' ')} END`;
}

/** Where to look for which features. */
type HoldingQuery = Pick<ScoringQuery, 'namespace' | 'features' | 'rules'>;

/** The live records with a feature, and how often they have it. */
function holdingStep(dialect: Dialect, query: HoldingQuery, passes: string, values: Values): string {
  const timesIn = dialect === 'postgresql' ? timesInPostgres : timesInSqlite;
  return `holding("seq", "word_count", passes, feature, times) AS (${timesIn(query, passes, values)})`;
}

function timesInPostgres(query: HoldingQuery, passes: string, values: Values): string {
  const { namespace, rules } = query;
  const { tokens, features, parts } = wordLists(namespace, query.features);
  const found = `keepsake_find_words(${values.texts(tokens)}, CAST(${values.texts(features)} AS integer[]), CAST(${values.texts(parts)} AS integer[]), ${values.text(namespace.key)})`;
  // Only a filter has to read the records.
  return rules.length === 0
    ? `SELECT "seq", "word_count", 1, "feature", "times" FROM ${found}`
    : `SELECT "seq", f."word_count", ${passes}, "feature", "times" FROM ${found} f JOIN "keepsake_records" USING ("seq")`;
}

function timesInSqlite(query: HoldingQuery, passes: string, values: Values): string {
  const list = wordLists(query.namespace, query.features).words.map((word) => [word.token, word.feature, word.part]);
  const words = rowsOf('sqlite', list, ['text', 'integer', 'integer'], values);
  return `WITH words(token, feature, part) AS (${words}),
    counts("seq", feature, times) AS MATERIALIZED (
      SELECT "doc", feature, count(*) FROM words CROSS JOIN "keepsake_record_terms" ON "term" = token
      GROUP BY "doc", feature, part
    )
    SELECT "seq", "word_count", ${passes}, feature, times FROM counts CROSS JOIN "keepsake_records" USING ("seq")
    WHERE "namespace_key" = ${values.text(query.namespace.key)} AND ${liveIn('sqlite')}`;
}
