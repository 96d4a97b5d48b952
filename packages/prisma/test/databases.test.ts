import { describe, expect, it } from 'vitest';
import { type DatabaseKind, sharedDatabase } from './databases.ts';

describe.each<DatabaseKind>(['PostgreSQL', 'SQLite', 'PGlite'])('The tables on %s', (kind) => {
  const shared = sharedDatabase(kind);

  // A PGlite takes seconds to start.
  it('exist and match the models', { tags: kind === 'PGlite' ? ['nightly'] : [] }, async () => {
    const { prisma } = shared.database;
    const rows = await prisma.$queryRawUnsafe(
      "SELECT part, version FROM keepsake_meta WHERE part <> 'vectors' ORDER BY part",
    );
    expect(rows).toEqual([
      { part: 'cursors', version: 1 },
      { part: 'sessions', version: 2 },
      { part: 'store', version: 3 },
    ]);
    expect(await prisma.keepsakeSession.findMany()).toEqual([]);
    expect(await prisma.keepsakeItem.findMany()).toEqual([]);
    expect(await prisma.keepsakeOperation.findMany()).toEqual([]);
    expect(await prisma.keepsakeRecord.findMany()).toEqual([]);
    expect(await prisma.keepsakeSecret.findMany()).toHaveLength(1);
  });
});
