import { describeSessionHistories } from '@keepsake/suites/sessions/histories';
import { describeStoreHistories } from '@keepsake/suites/stores/histories';
import { PostgresSession, PostgresStore } from '../../src/index.ts';
import { sharedDatabase } from '../databases.ts';
import { TORTURED } from './drivers.ts';

for (const kind of TORTURED) {
  const shared = sharedDatabase(kind);
  const here = () => ({ client: shared.database.client });
  describeSessionHistories(`through ${kind}`, (sessionId) => new PostgresSession({ ...here(), sessionId }));
  describeStoreHistories(`through ${kind}`, (namespace) => new PostgresStore({ ...here(), name: 'memory', namespace }));
}
