import { describeIndexedFields } from '@keepsake/conformance';
import { describe, it } from 'vitest';
import { PrismaStore } from '../src/index.ts';
import { type DatabaseKind, nightlyOnSqlite, sharedDatabase } from './databases.ts';

const KINDS: readonly DatabaseKind[] = ['PostgreSQL', 'SQLite'];

for (const kind of KINDS) {
  describe('PrismaStore', nightlyOnSqlite(kind), () => {
    const shared = sharedDatabase(kind);
    describeIndexedFields({
      describe,
      it,
      name: `PrismaStore on ${kind}`,
      capabilities: new PrismaStore({
        prisma: { $queryRawUnsafe: async () => [], $executeRawUnsafe: async () => 0 } as never,
        name: 'x',
      }).capabilities,
      harness: async () => {
        const { prisma } = shared.database;
        await prisma.$executeRawUnsafe('DELETE FROM keepsake_namespaces');
        return { open: (options = {}) => new PrismaStore({ prisma, name: 'memory', ...options }) };
      },
    });
  });
}
