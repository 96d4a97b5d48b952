import { describeSessionHistories } from '@keepsake/suites/sessions/histories';
import { describeStoreHistories } from '@keepsake/suites/stores/histories';
import { FileSession, FileStore } from '../../src/index.ts';
import { places } from './places.ts';

const { root: directory } = places();

describeSessionHistories('in files', (sessionId) => new FileSession({ directory, sessionId, durability: 'os' }));
describeStoreHistories(
  'in files',
  (namespace) => new FileStore({ directory, name: 'memory', namespace, durability: 'os' }),
);
