import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { PrismaStore } from '@keepsake/prisma';
import type { StoreKind } from '../backends/store-rows.ts';
import { openPostgres, openSqlite } from './databases.ts';

/** Runs on its own server. */
export const postgresStore: StoreKind = {
  name: 'PrismaStore on PostgreSQL',
  async open() {
    const { preparing, pool, close } = await openPostgres();
    return {
      store: new PrismaStore({ prisma: preparing, name: 'PrismaStore' }),
      // Autovacuum would run a minute later.
      settle: async () => void (await pool.query('VACUUM ANALYZE')),
      close,
    };
  },
};

/** Each store has its own file in the directory. */
export function sqliteStore(directory: string): StoreKind {
  return {
    name: 'PrismaStore on SQLite',
    async open() {
      const { prisma, close } = await openSqlite(mkdtempSync(join(directory, 'store-')));
      return { store: new PrismaStore({ prisma, name: 'PrismaStore' }), close };
    },
  };
}
