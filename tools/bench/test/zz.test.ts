import { it } from 'vitest';
import { Client } from 'pg';
import { startPostgres } from '@keepsake/services';
import { postgresDatabase } from '../../../packages/prisma/test/databases.ts';
const text = 'x'.repeat(480);
const items = ['user', 'assistant'].map((role) => JSON.stringify({ role, content: text }));
it('x', async () => {
  const server = await startPostgres({ fsync: false });
  const db = await postgresDatabase(server);
  const c = new Client({ connectionString: db.url }); await c.connect();
  const p: any = db.prisma;
  const fn = (name: string, body: string, decl = '') => c.query(`create function ${name}(sid text, items text[], ttl bigint) returns boolean language plpgsql as $f$
   declare k bigint; l bigint; now_ms bigint := floor(date_part('epoch', clock_timestamp()) * 1000)::bigint; n int := cardinality(items); ${decl}
   begin ${body} return true; end $f$`);
  const upd = (extra: string) => `update keepsake_sessions s set last_seq = s.last_seq + n, item_count = item_count + n ${extra} where id = sid and (expires_ms is null or expires_ms > now_ms) returning key, last_seq into k, l;`;
  const full = `, activity = nextval('keepsake_sessions_activity_seq'), updated_ms = greatest(updated_ms, now_ms), expires_ms = coalesce(now_ms + ttl, expires_ms)`;
  const ins = (t: string) => `insert into ${t} (session_key, seq, item) select k, l - n + place, item from unnest(items) with ordinality as g (item, place);`;
  await c.query('create table nofk (session_key bigint, seq bigint, item text, primary key (session_key, seq))');
  await c.query('create table raw (session text, seq bigserial, item text, primary key (session, seq))');
  await c.query("insert into keepsake_sessions (id, created_ms, updated_ms) values ('s', 0, 0)");
  await fn('f_nothing', '');
  await fn('f_upd', upd(full));
  await fn('f_updhot', upd(''));
  await fn('f_full', upd(full) + ins('keepsake_items'));
  await fn('f_nofk', upd(full) + ins('nofk'));
  await fn('f_loop', upd(full) + `for i in 1..n loop insert into nofk values (k, l - n + i, items[i]); end loop;`);
  await fn('f_hotnofk', upd('') + ins('nofk'));
  const v: Record<string, () => Promise<unknown>> = {
    raw: () => c.query({ name: 'ins', text: 'insert into raw (session, item) values ($1,$2),($1,$3)', values: ['s', ...items] }),
    prisma1: () => p.$executeRawUnsafe('select 1'),
    prismaRaw: () => p.$executeRawUnsafe('insert into raw (session, item) values ($1,$2),($1,$3)', 's', ...items),
  };
  for (const f of ['f_nothing', 'f_upd', 'f_updhot', 'f_full', 'f_nofk', 'f_loop', 'f_hotnofk']) {
    v[f] = () => c.query({ text: `select ${f}($1, $2::text[], $3::bigint)`, values: ['s', items, null] });
  }
  v['p_full'] = () => p.$executeRawUnsafe(`select f_full($1, $2::text[], $3::bigint)`, 's', items, null);
  v['p_nofk'] = () => p.$executeRawUnsafe(`select f_nofk($1, $2::text[], $3::bigint)`, 's', items, null);
  const t: Record<string, number[]> = {};
  for (let r = 0; r < 400; r++) for (const [k, f] of Object.entries(v)) { const a = performance.now(); await f(); (t[k] ??= []).push(performance.now() - a); }
  for (const [k, l] of Object.entries(t)) { l.sort((a, b) => a - b); console.log(k.padEnd(14), 'us', (l[40]! * 1000).toFixed(0), (l[150]! * 1000).toFixed(0)); }
  await c.end(); await db.stop(); await server.stop();
}, 300000);
