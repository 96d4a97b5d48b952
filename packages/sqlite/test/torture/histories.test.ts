import { describeSessionHistories } from '@keepsake/suites/sessions/histories';
import { describeStoreHistories } from '@keepsake/suites/stores/histories';
import { afterAll } from 'vitest';
import { SqliteSession, SqliteStore } from '../../src/index.ts';
import { temporaryFile } from '../temporary-file.ts';

const { file, remove } = temporaryFile();
afterAll(remove);

describeSessionHistories('in SQLite', (sessionId) => new SqliteSession({ file, sessionId, durability: 'os' }));
describeStoreHistories(
  'in SQLite',
  (namespace) => new SqliteStore({ file, name: 'memory', namespace, durability: 'os' }),
);
