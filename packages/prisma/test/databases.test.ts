import { describe, expect, it } from 'vitest';
import { type Place, sharedDatabase } from './databases.ts';

describe.each<Place>(['PostgreSQL', 'SQLite', 'PGlite'])('the tables on %s', (place) => {
  const shared = sharedDatabase(place);

  it('are there, and the models fit them', async () => {
    const { prisma } = shared.database;
    const rows = await prisma.$queryRawUnsafe(
      "SELECT part, version FROM keepsake_meta WHERE part <> 'vectors' ORDER BY part",
    );
    expect(rows).toEqual([
      { part: 'sessions', version: 1 },
      { part: 'store', version: 2 },
    ]);
    expect(await prisma.keepsakeSession.findMany()).toEqual([]);
    expect(await prisma.keepsakeItem.findMany()).toEqual([]);
    expect(await prisma.keepsakeOperation.findMany()).toEqual([]);
    expect(await prisma.keepsakeRecord.findMany()).toEqual([]);
  });
});
