import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describeLinearizability } from '@keepsake/suites/linearizability/describe-linearizability';
import { PrismaStore } from '../../src/index.ts';
import { sharedDatabase, TORTURED } from '../databases.ts';
import type { Use } from '../programs/answer-calls.ts';

for (const where of TORTURED) {
  const shared = sharedDatabase(where);
  describeLinearizability(`in ${where}`, {
    path: join(import.meta.dirname, '../programs/answer-calls.ts'),
    argument: (kind) => JSON.stringify({ kind, url: shared.database.url, root: randomUUID() } satisfies Use),
    capabilities: () => new PrismaStore({ prisma: shared.database.prisma, name: 'memory' }).capabilities,
  });
}
