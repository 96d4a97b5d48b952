import { describeLargeBatches } from '@keepsake/suites/stores/large-batches';
import { onTestFinished } from 'vitest';
import { FileStore } from '../src/index.ts';
import { temporaryDirectory } from './temporary-directory.ts';

describeLargeBatches('FileStore', () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  return new FileStore({ name: 'memory', directory: path, durability: 'os' });
});
