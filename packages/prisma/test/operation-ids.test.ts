import { expectToForgetOperations } from '@keepsake/suites/sessions/operation-ids';
import { describe, expect, it } from 'vitest';
import { PrismaSession } from '../src/index.ts';
import { type DatabaseKind, nightlyOnSqlite, sharedDatabase } from './databases.ts';

for (const kind of ['PostgreSQL', 'SQLite'] satisfies DatabaseKind[]) {
  describe(`Operations on ${kind}`, nightlyOnSqlite(kind), () => {
    const shared = sharedDatabase(kind);

    it('are forgotten after 30 days, but not the latest 1,000 and as many as there are items', async () => {
      const { prisma } = shared.database;
      await expectToForgetOperations(new PrismaSession({ prisma }), async (ms) => {
        const hours = Math.floor(ms / 3_600_000);
        await prisma.$executeRawUnsafe(
          `UPDATE keepsake_operations SET place = place - (CAST(${hours} AS bigint) << 31)`,
        );
      });
      expect(await prisma.keepsakeOperation.count()).toBeLessThan(1_110);
    });
  });
}
