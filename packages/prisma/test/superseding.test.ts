import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describeHistoryProcesses } from '@keepsake/suites/stores/history-processes';
import { PrismaStore } from '../src/index.ts';
import { sharedDatabase } from './databases.ts';
import type { Use } from './programs/use-history.ts';

for (const kind of ['PostgreSQL', 'SQLite'] as const) {
  const shared = sharedDatabase(kind);
  describeHistoryProcesses(`in ${kind}`, join(import.meta.dirname, 'programs/use-history.ts'), () => {
    const { prisma, url } = shared.database;
    const namespace = [randomUUID()];
    return {
      open: () => new PrismaStore({ prisma, name: 'memory', namespace }),
      jobOf: (job) => JSON.stringify({ url, namespace, job } satisfies Use),
    };
  });
}
