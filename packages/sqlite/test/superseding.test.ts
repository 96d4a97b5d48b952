import { join } from 'node:path';
import { describeHistoryProcesses } from '@keepsake/suites/stores/history-processes';
import { SqliteStore } from '../src/index.ts';
import { newFile } from './temporary-file.ts';

describeHistoryProcesses('in SQLite', join(import.meta.dirname, 'programs/use-history.ts'), () => {
  const file = newFile();
  return {
    open: () => new SqliteStore({ file, name: 'memory' }),
    jobOf: (job) => JSON.stringify({ file, job }),
  };
});
