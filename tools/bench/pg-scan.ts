import { PrismaStore } from '@keepsake/prisma';
import { openPostgres } from './src/prisma/databases.ts';
import { randomNumbers } from './src/random.ts';
const { preparing, prisma, pool, close } = await openPostgres();
const random = randomNumbers(7);
const word = () => `w${Math.floor(20000 ** random()).toString(36)}o`;
async function fill(ns: string, count: number, words: number) {
  const store = new PrismaStore({ prisma: preparing, name: 'bench', namespace: [ns] } as any);
  for (let from = 0; from < count; from += 250) await store.putMany(Array.from({ length: Math.min(250, count - from) }, (_, i) => ({ id: `r${from + i}`, content: Array.from({ length: words }, word).join(' ') + (i === 7 ? ' heliotrope' : '') })));
  return store;
}
const scanSql = `CREATE OR REPLACE FUNCTION scan_words(words text[], features int[], parts int[], of_namespace text) RETURNS TABLE ("seq" bigint, "word_count" int, "feature" int, "part" int, "times" double precision) LANGUAGE sql AS $$ SELECT * FROM keepsake_match_words(words, features, parts, of_namespace, 0, NULL) $$`;
await pool.query(scanSql);
for (const [ns, count, words] of [['s100', 100, 20], ['s1000', 1000, 20], ['s2000', 2000, 20], ['l100', 100, 400], ['l500', 500, 400], ['l2000', 2000, 400]] as const) {
  const store = await fill(ns, count, words);
  await pool.query('vacuum analyze keepsake_records');
  const keyRow = (await pool.query(`select namespace_key, array_agg(distinct namespace) from keepsake_records group by 1`)).rows;
  const key = (await pool.query(`select namespace_key from keepsake_records order by seq desc limit 1`)).rows[0].namespace_key;
  const prefix = (await pool.query(`select substr((tsvector_to_array(words))[1], 1, 9) p from keepsake_records where namespace_key = $1 limit 1`, [key])).rows[0].p;
  for (const [kind, query] of [['rare', ['heliotrop']], ['question', ['w1o', 'w5o', 'wao', 'w2fo', 'w3gko', 'wb1o']]] as const) {
    const tokens = query.map((w) => prefix + w); const f = query.map((_, i) => i);
    const res: string[] = [];
    for (const fn of ['keepsake_find_words', 'scan_words']) {
      let n = 0; const ts: number[] = [];
      for (let i = 0; i < 15; i++) { const s = performance.now(); n = (await pool.query(`SELECT * FROM ${fn}($1::text[], $2::int[], $3::int[], $4)`, [tokens, f, f, key])).rows.length; ts.push(performance.now() - s); }
      ts.sort((a, b) => a - b); res.push(`${fn} ${ts[7]!.toFixed(2)} ms (${n})`);
    }
    console.log(ns, kind, res.join('  '));
  }
}
await close();
