import { join } from 'node:path';
import { uuidv7 } from '@keepsake/core/adapter';
import { describeSessionProcesses } from '@keepsake/suites/sessions/processes';
import { PrismaSession } from '../../src/index.ts';
import { sharedDatabase, TORTURED } from '../databases.ts';
import type { Use } from '../programs/use-session.ts';

const program = join(import.meta.dirname, '../programs/use-session.ts');

for (const where of TORTURED) {
  const shared = sharedDatabase(where);
  describeSessionProcesses(`in ${where}`, program, () => {
    const { url, prisma } = shared.database;
    const sessionId = uuidv7();
    return {
      open: () => new PrismaSession({ prisma, sessionId }),
      jobOf: (job) => JSON.stringify({ url, sessionId, job } satisfies Use),
    };
  });
}
