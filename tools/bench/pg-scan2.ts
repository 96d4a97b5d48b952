import { PrismaStore } from '@keepsake/prisma';
import { openPostgres } from './src/prisma/databases.ts';
import { randomNumbers } from './src/random.ts';
const { preparing, prisma, pool, close } = await openPostgres();
const random = randomNumbers(7);
const word = () => `w${Math.floor(20000 ** random()).toString(36)}o`;
async function fill(ns: string, count: number, words: number) {
  const store = new PrismaStore({ prisma: preparing, name: 'bench', namespace: [ns] } as any);
  for (let from = 0; from < count; from += 250) await store.putMany(Array.from({ length: Math.min(250, count - from) }, (_, i) => ({ id: `r${from + i}`, content: Array.from({ length: words }, word).join(' ') + (i === 7 ? ' heliotrope' : '') })));
}
const head = (name: string) => `CREATE OR REPLACE FUNCTION ${name}(words text[], features int[], parts int[], of_namespace text) RETURNS TABLE ("seq" bigint, "word_count" int, "feature" int, "part" int, "times" double precision) LANGUAGE plpgsql STABLE SET jit = off SET max_parallel_workers_per_gather = 0 AS $$
#variable_conflict use_column
DECLARE wanted tsquery := array_to_string(ARRAY(SELECT quote_literal(word) FROM unnest(words) AS word), ' | ')::tsquery;
BEGIN RETURN QUERY `;
const tail = `; END; $$`;
await pool.query(`CREATE OR REPLACE FUNCTION a_scan(words text[], features int[], parts int[], of_namespace text) RETURNS TABLE ("seq" bigint, "word_count" int, "feature" int, "part" int, "times" double precision) LANGUAGE sql AS $$ SELECT * FROM keepsake_match_words(words, features, parts, of_namespace, 0, NULL) $$`);
// b: detoast once by concatenation
await pool.query(head('b_concat') + `SELECT h."seq", min(h."word_count"), h.feature, h.part, sum(h.times) FROM (
 SELECT r."seq", r."word_count", w.feature, w.part, round(0.6079271 / (1 - 10 * ts_rank(r."words", w.word)) - 0.5) AS times
 FROM (SELECT c."seq", c."word_count", c."words" || ''::tsvector AS words FROM "keepsake_records" AS c WHERE c."namespace_key" = of_namespace AND c."seq" > 0 AND (c."words" @@ wanted) IS TRUE AND (c.expires_ms IS NULL OR c.expires_ms > 5) OFFSET 0) AS r
 CROSS JOIN (SELECT quote_literal(word)::tsquery AS word, feature, part FROM unnest(words, features, parts) AS given (word, feature, part) OFFSET 0) AS w WHERE r."words" @@ w.word) AS h GROUP BY h."seq", h.feature, h.part` + tail);
// c: ts_filter keeps
await pool.query(head('c_delete') + `SELECT h."seq", min(h."word_count"), h.feature, h.part, sum(h.times) FROM (
 SELECT r."seq", r."word_count", w.feature, w.part, array_length(w2.positions, 1)::double precision AS times
 FROM (SELECT c."seq", c."word_count", c."words" FROM "keepsake_records" AS c WHERE c."namespace_key" = of_namespace AND c."seq" > 0 AND (c."words" @@ wanted) IS TRUE AND (c.expires_ms IS NULL OR c.expires_ms > 5) OFFSET 0) AS r
 CROSS JOIN LATERAL unnest(r.words) AS w2(lexeme, positions, weights) JOIN (SELECT word, feature, part FROM unnest(words, features, parts) AS given (word, feature, part) OFFSET 0) AS w ON w.word = w2.lexeme) AS h GROUP BY h."seq", h.feature, h.part` + tail);
// d: no prefilter on detoasted, tsqueries materialised
await pool.query(head('d_mat') + `WITH w AS MATERIALIZED (SELECT quote_literal(word)::tsquery AS word, feature, part FROM unnest(words, features, parts) AS given (word, feature, part)), r AS MATERIALIZED (SELECT c."seq", c."word_count", c."words" || ''::tsvector AS words FROM "keepsake_records" AS c WHERE c."namespace_key" = of_namespace AND c."seq" > 0 AND c.words IS NOT NULL AND (c.expires_ms IS NULL OR c.expires_ms > 5))
 SELECT h."seq", min(h."word_count"), h.feature, h.part, sum(h.times) FROM (
 SELECT r."seq", r."word_count", w.feature, w.part, round(0.6079271 / (1 - 10 * ts_rank(r."words", w.word)) - 0.5) AS times
 FROM r CROSS JOIN w WHERE r."words" @@ w.word) AS h GROUP BY h."seq", h.feature, h.part` + tail);
for (const [ns, count, words] of [['s2000', 2000, 20], ['l500', 500, 400], ['l2000', 2000, 400]] as const) {
  await fill(ns, count, words);
  await pool.query('vacuum analyze keepsake_records');
  const key = (await pool.query(`select namespace_key from keepsake_records order by seq desc limit 1`)).rows[0].namespace_key;
  const prefix = (await pool.query(`select substr((tsvector_to_array(words))[1], 1, 9) p from keepsake_records where namespace_key = $1 limit 1`, [key])).rows[0].p;
  console.log((await pool.query(`select avg(pg_column_size(words)), avg(length(words)) from keepsake_records where namespace_key = $1`, [key])).rows[0]);
  for (const [kind, query] of [['rare', ['heliotrop']], ['question', ['w1o', 'w5o', 'wao', 'w2fo', 'w3gko', 'wb1o']]] as const) {
    const tokens = query.map((w) => prefix + w); const f = query.map((_, i) => i);
    const res: string[] = [];
    for (const fn of ['keepsake_find_words', 'a_scan', 'b_concat', 'c_delete', 'd_mat']) {
      let n = 0; const ts: number[] = [];
      for (let i = 0; i < 9; i++) { const s = performance.now(); n = (await pool.query(`SELECT * FROM ${fn}($1::text[], $2::int[], $3::int[], $4)`, [tokens, f, f, key])).rows.length; ts.push(performance.now() - s); }
      ts.sort((a, b) => a - b); res.push(`${fn} ${ts[2]!.toFixed(2)} ms (${n})`);
    }
    console.log(ns, kind, res.join('  '));
  }
}
await close();
