import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PrismaSessionStore, PrismaStore } from '@keepsake/prisma';
import { connectPrisma, migrateSqlite, type Prisma } from '@keepsake/services/prisma';
import type { Backend } from './backend.ts';

/**
 * SQLite through Prisma, with one file per place. Other processes do not reach it: several that write without a pause keep
 * each other out through Prisma's driver for longer than a write waits.
 */
export const prismaSqlite: Backend = {
  name: 'prisma on sqlite',
  partByDay: true,
  async start() {
    const parent = mkdtempSync(join(tmpdir(), 'keepsake-namespaces-'));
    const clients: Prisma[] = [];
    return {
      place() {
        const file = join(parent, String(clients.length), 'memory.db');
        mkdirSync(dirname(file));
        const prisma = connectPrisma(`file:${file}`, () => migrateSqlite(file));
        clients.push(prisma);
        return { ...openPrisma(prisma), address: undefined, raw: async () => readAll(dirname(file)) };
      },
      async stop() {
        await Promise.all(clients.map((prisma) => prisma.$disconnect()));
        rmSync(parent, { recursive: true });
      },
    };
  },
};

function openPrisma(prisma: Prisma) {
  return { store: new PrismaStore({ prisma, name: 'memory' }), sessions: new PrismaSessionStore({ prisma }) };
}

/** The database and the files beside it. */
function readAll(directory: string): string {
  const paths = readdirSync(directory).map((name) => join(directory, name));
  // Another process reads them: closing a file drops the locks that SQLite holds on it in this process.
  return execFileSync('cat', paths, { maxBuffer: 2 ** 31 }).toString('latin1');
}
