// Supersedes records in its own process. The argument is { file, job }.
import { type HistoryJob, useHistory } from '@keepsake/suites/stores/use-history';
import { SqliteStore } from '../../src/index.ts';

const { file, job } = JSON.parse(process.argv[2] ?? '') as { readonly file: string; readonly job: HistoryJob };
await useHistory(new SqliteStore({ file, name: 'memory' }), job);
