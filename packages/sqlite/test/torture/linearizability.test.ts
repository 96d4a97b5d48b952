import { join } from 'node:path';
import { describeLinearizability } from '@keepsake/suites/linearizability/describe-linearizability';
import { SqliteStore } from '../../src/index.ts';
import type { Use } from '../programs/answer-calls.ts';
import { newFile } from '../temporary-file.ts';

describeLinearizability('in SQLite', {
  path: join(import.meta.dirname, '../programs/answer-calls.ts'),
  argument: (kind) => JSON.stringify({ kind, file: newFile() } satisfies Use),
  capabilities: () => new SqliteStore({ file: newFile(), name: 'memory' }).capabilities,
});
