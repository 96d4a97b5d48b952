// Prints how much disk a record takes in PostgreSQL. Arguments: how many records, in how many namespaces, and fields to index.
import { PrismaStore } from '@keepsake/prisma';
import { openPostgres } from '../prisma/databases.ts';
import { fillNamespaces } from '../scale/fill-namespaces.ts';

const [count, namespaces] = process.argv.slice(2, 4).map(Number) as [number, number];
const indexed = process.argv.slice(4);
const { preparing, pool, close } = await openPostgres();
const store = new PrismaStore({ prisma: preparing, name: 'bench', indexed });
const text = await fillNamespaces(store, count, namespaces);
// The first filter by a field has the records of its namespace indexed.
for (const field of indexed) await store.within(['u', 'user-0']).list({ filter: { [field]: true } });
await pool.query('VACUUM FULL');
const { rows } = await pool.query<{ table: string; bytes: number }>(`
  SELECT relname AS "table", pg_total_relation_size(relid)::float AS bytes FROM pg_stat_user_tables
  WHERE relname LIKE 'keepsake%' ORDER BY bytes DESC`);
const bytesOf = (tables: typeof rows) => Math.round(tables.reduce((sum, { bytes }) => sum + bytes, 0) / count);
console.log(
  `${count} records in ${namespaces} namespaces: ${bytesOf(rows)} bytes a record, ${text} of them text`,
  Object.fromEntries(rows.slice(0, 4).map((row) => [row.table, bytesOf([row])])),
);
await close();
