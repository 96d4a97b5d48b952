import { PrismaStore } from '@keepsake/prisma';
import { type BenchPrisma, openPostgres, openSqlite } from '../prisma/databases.ts';
import type { Engine, OpenEngine } from './engine.ts';
import { idOf, placeOf } from './entry-ids.ts';

/** Runs on its own server. */
export const keepsakePostgres: Engine = {
  name: 'PrismaStore on PostgreSQL',
  open: async () => over(await openPostgres()),
};

export const keepsakeSqlite: Engine = {
  name: 'PrismaStore on SQLite',
  open: async ({ directory }) => over(await openSqlite(directory)),
};

function over({ prisma, close }: { readonly prisma: BenchPrisma; close(): Promise<void> }): OpenEngine {
  const store = new PrismaStore({ prisma, name: 'bench' });
  return {
    async add(entries) {
      await store.putMany(entries.map((entry, place) => ({ ...entry, id: idOf(place) })));
    },
    async search(query, limit) {
      const found = await store.search(query, { maxSearchResults: limit });
      return found.map(({ id }) => placeOf(id as string));
    },
    close,
  };
}
