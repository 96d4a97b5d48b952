// Supersedes records in its own process. The argument is { directory, job }.
import { type HistoryJob, useHistory } from '@keepsake/suites/stores/use-history';
import { FileStore } from '../../src/index.ts';

const { directory, job } = JSON.parse(process.argv[2] ?? '') as {
  readonly directory: string;
  readonly job: HistoryJob;
};
await useHistory(new FileStore({ directory, name: 'memory' }), job);
