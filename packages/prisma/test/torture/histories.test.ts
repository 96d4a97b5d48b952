import { describeSessionHistories } from '@keepsake/suites/sessions/histories';
import { describeStoreHistories } from '@keepsake/suites/stores/histories';
import { PrismaSession, PrismaStore } from '../../src/index.ts';
import { sharedDatabase, TORTURED } from '../databases.ts';

for (const where of TORTURED) {
  const shared = sharedDatabase(where);
  const here = () => ({ prisma: shared.database.prisma });
  describeSessionHistories(`in ${where}`, (sessionId) => new PrismaSession({ ...here(), sessionId }));
  describeStoreHistories(`in ${where}`, (namespace) => new PrismaStore({ ...here(), name: 'memory', namespace }));
}
