import { describe, expect, it } from 'vitest';
import { type DatabaseKind, sharedDatabase } from './databases.ts';

describe.each<DatabaseKind>(['PostgreSQL', 'SQLite', 'PGlite'])('The tables on %s', (kind) => {
  const shared = sharedDatabase(kind);

  // A PGlite takes seconds to start.
  it('exist and match the models', { tags: kind === 'PGlite' ? ['nightly'] : [] }, async () => {
    const { prisma } = shared.database;
    const dialect = kind === 'SQLite' ? 'sqlite' : 'postgresql';
    expect(await prisma.keepsakeMeta.findMany()).toEqual([{ dialect, version: 1 }]);
    expect(await prisma.keepsakeSession.findMany()).toEqual([]);
    expect(await prisma.keepsakeItem.findMany()).toEqual([]);
    expect(await prisma.keepsakeOperation.findMany()).toEqual([]);
    for (const rows of [
      prisma.keepsakeNamespace.findMany(),
      prisma.keepsakeRecord.findMany(),
      prisma.keepsakeCleared.findMany(),
      prisma.keepsakeIndex.findMany(),
      prisma.keepsakePage.findMany(),
    ]) {
      expect(await rows).toEqual([]);
    }
    expect(await prisma.keepsakeSecret.findMany()).toHaveLength(1);
  });
});
