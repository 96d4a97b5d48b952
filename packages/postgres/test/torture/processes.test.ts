import { join } from 'node:path';
import { uuidv7 } from '@keepsake/core/adapter';
import { describeSessionProcesses } from '@keepsake/suites/sessions/processes';
import { PostgresSession } from '../../src/index.ts';
import { sharedDatabase } from '../databases.ts';
import type { Use } from '../programs/use-session.ts';
import { TORTURED } from './drivers.ts';

const program = join(import.meta.dirname, '../programs/use-session.ts');

for (const kind of TORTURED) {
  const shared = sharedDatabase(kind);
  describeSessionProcesses(`through ${kind}`, program, () => {
    const { url, client } = shared.database;
    const sessionId = uuidv7();
    return {
      open: () => new PostgresSession({ client, sessionId }),
      jobOf: (job) => JSON.stringify({ kind, url, sessionId, job } satisfies Use),
    };
  });
}
