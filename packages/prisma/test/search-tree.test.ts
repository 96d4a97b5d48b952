// @module-tag nightly: by day, PostgreSQL is compared with an InMemoryStore.

import { describeSearchTree, WORD_EMBEDDER } from '@keepsake/suites/stores/search-tree';
import { PrismaStore } from '../src/index.ts';
import { type DatabaseKind, sharedDatabase } from './databases.ts';

for (const kind of ['PostgreSQL', 'SQLite'] satisfies DatabaseKind[]) {
  for (const [how, own] of [['', {}] as const, [', with an embedder', { embedder: WORD_EMBEDDER }] as const]) {
    const shared = sharedDatabase(kind);
    describeSearchTree(`PrismaStore on ${kind}${how}`, (namespace) => {
      const { prisma } = shared.database;
      return new PrismaStore({
        prisma,
        name: 'memory',
        namespace: [how === '' ? 'words' : 'meaning', ...namespace],
        ...own,
      });
    });
  }
}
