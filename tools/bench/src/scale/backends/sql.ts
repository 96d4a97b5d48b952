import { join } from 'node:path';
import { PrismaStore } from '@keepsake/prisma';
import { SqliteStore } from '@keepsake/sqlite';
import { openPostgres, openSqlite } from '../../prisma/databases.ts';
import type { ScaleBackend } from '../backend.ts';
import { INDEXED as indexed } from '../records.ts';

export const sqlite: ScaleBackend = {
  name: 'SqliteStore',
  reopens: true,
  async open(directory) {
    const store = new SqliteStore({ file: join(directory, 'bench.db'), name: 'bench', durability: 'os', indexed });
    return { store, close: () => store.close() };
  },
};

/** On a server of its own, which waits for the disk. */
export const postgres: ScaleBackend = {
  name: 'PrismaStore on PostgreSQL',
  reopens: false,
  async open() {
    const { preparing, url, close } = await openPostgres();
    return {
      store: new PrismaStore({ prisma: preparing, name: 'bench', indexed }),
      server: { kind: 'postgres', url },
      close,
    };
  },
};

export const sqliteThroughPrisma: ScaleBackend = {
  name: 'PrismaStore on SQLite',
  reopens: false,
  async open(directory) {
    const { prisma, close } = await openSqlite(directory);
    return { store: new PrismaStore({ prisma, name: 'bench', indexed }), close };
  },
};
