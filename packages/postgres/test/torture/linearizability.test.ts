import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describeLinearizability } from '@keepsake/suites/linearizability/describe-linearizability';
import { PostgresStore } from '../../src/index.ts';
import { sharedDatabase } from '../databases.ts';
import type { Use } from '../programs/answer-calls.ts';
import { TORTURED } from './drivers.ts';

for (const kind of TORTURED) {
  const shared = sharedDatabase(kind);
  describeLinearizability(`through ${kind}`, {
    path: join(import.meta.dirname, '../programs/answer-calls.ts'),
    argument: (called) => JSON.stringify({ called, kind, url: shared.database.url, root: randomUUID() } satisfies Use),
    capabilities: () => new PostgresStore({ client: shared.database.client, name: 'memory' }).capabilities,
  });
}
