import { join } from 'node:path';
import { describeHistoryProcesses } from '@keepsake/suites/stores/history-processes';
import { useDirectory } from '@keepsake/testing';
import { FileStore } from '../src/index.ts';

const directory = useDirectory();

describeHistoryProcesses('in files', join(import.meta.dirname, 'programs/use-history.ts'), () => ({
  open: () => new FileStore({ directory: directory.path, name: 'memory' }),
  jobOf: (job) => JSON.stringify({ directory: directory.path, job }),
}));
