import { expectToForgetOperations } from '@keepsake/suites/sessions/operation-ids';
import { afterAll, afterEach, it } from 'vitest';
import { FileSession } from '../src/index.ts';
import { forgetTimes } from '../src/log/timestamp.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const { path: directory, remove } = temporaryDirectory();
afterAll(remove);
// The clock is put forward.
afterEach(forgetTimes);

// By day, a test in compaction.test.ts shows the same of what is saved and what is in memory.
it(
  'operations are forgotten after 30 days, but not the latest 1,000 and as many as there are items',
  {
    tags: ['nightly'],
  },
  () => expectToForgetOperations(new FileSession({ directory, durability: 'os' })),
);
