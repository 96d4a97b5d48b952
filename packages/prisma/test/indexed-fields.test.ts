import { describeIndexedFields } from '@keepsake/conformance';
import { describe, expect, it } from 'vitest';
import { type PrismaLike, PrismaStore } from '../src/index.ts';
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
        await prisma.$executeRawUnsafe('DELETE FROM keepsake_records');
        return { open: (options = {}) => new PrismaStore({ prisma, name: 'memory', ...options }) };
      },
    });

    describe(`An indexed field on ${kind}`, () => {
      it('is built in steps that an aborted list leaves for the next one', async () => {
        const { prisma } = shared.database;
        await prisma.$executeRawUnsafe('DELETE FROM keepsake_records');
        const open = (options: object = {}) => new PrismaStore({ prisma, name: 'memory', ...options });
        const records = Array.from({ length: 2_000 }, (_, n) => ({
          id: `${n}`,
          content: 'tea',
          metadata: { n: n % 500 },
        }));
        await open().putMany(records);
        const store = open({ indexed: ['n'] });
        const controller = new AbortController();
        const abortAfterStep = (sql: string) => {
          if (/SET "indexed_seq"|keepsake_index_more/.test(sql)) setImmediate(() => controller.abort());
        };
        const client: PrismaLike = {
          $queryRawUnsafe(sql, ...values) {
            abortAfterStep(sql);
            return prisma.$queryRawUnsafe(sql, ...values);
          },
          $executeRawUnsafe(sql, ...values) {
            abortAfterStep(sql);
            return prisma.$executeRawUnsafe(sql, ...values);
          },
        };
        const listing = open({ indexed: ['n'], prisma: client }).list({ filter: { n: 7 }, signal: controller.signal });
        await expect(listing).rejects.toMatchObject({ code: 'ABORTED' });
        const ids = (await store.list({ filter: { n: 7 } })).items.map(({ id }) => id);
        expect(ids).toEqual(['1507', '1007', '507', '7']);
      });
    });
  });
}
