import { randomUUID } from 'node:crypto';
import { InMemoryStore } from '@keepsake/in-memory';
import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { describeSameRanking } from '@keepsake/suites/stores/same-ranking';
import { describe } from 'vitest';
import { PrismaStore } from '../src/index.ts';
import { type DatabaseKind, nightlyOnSqlite, sharedDatabase } from './databases.ts';

for (const kind of ['PostgreSQL', 'SQLite'] satisfies DatabaseKind[]) {
  describe('PrismaStore', nightlyOnSqlite(kind), () => {
    const shared = sharedDatabase(kind);
    describeSameRanking(`PrismaStore on ${kind}`, {
      open: (options) =>
        new PrismaStore({ prisma: shared.database.prisma, name: 'memory', namespace: [randomUUID()], ...options }),
      memory: (options) => new InMemoryStore({ name: 'memory', ...options }),
      embedder: fakeEmbedder,
    });
  });
}
