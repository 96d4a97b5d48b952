import { join } from 'node:path';
import { describeLinearizability } from '@keepsake/suites/linearizability/describe-linearizability';
import { FileStore } from '../../src/index.ts';
import type { Use } from '../programs/answer-calls.ts';
import { places } from './places.ts';

const { place } = places();

describeLinearizability('in files', {
  path: join(import.meta.dirname, '../programs/answer-calls.ts'),
  argument: (kind) => JSON.stringify({ kind, directory: place() } satisfies Use),
  capabilities: () => new FileStore({ directory: place(), name: 'memory' }).capabilities,
});
