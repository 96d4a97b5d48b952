import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describeHistoryProcesses } from '@keepsake/suites/stores/history-processes';
import type { HistoryJob } from '@keepsake/suites/stores/use-history';
import { describe } from 'vitest';
import { PrismaStore } from '../src/index.ts';
import { nightlyOnSqlite, sharedDatabase } from './databases.ts';
import type { Use } from './programs/use-history.ts';

for (const kind of ['PostgreSQL', 'SQLite'] as const) {
  // The tests of a busy file start processes on SQLite by day.
  describe('PrismaStore', nightlyOnSqlite(kind), () => {
    const shared = sharedDatabase(kind);
    const newPlace = () => {
      const { prisma, url } = shared.database;
      const namespace = [randomUUID()];
      return {
        open: () => new PrismaStore({ prisma, name: 'memory', namespace }),
        jobOf: (job: HistoryJob) => JSON.stringify({ url, namespace, job } satisfies Use),
      };
    };
    // Each process takes a second to start with a Prisma Client.
    const killing = { tags: ['nightly'] };
    describeHistoryProcesses(`in ${kind}`, join(import.meta.dirname, 'programs/use-history.ts'), newPlace, killing);
  });
}
