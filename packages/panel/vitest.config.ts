import { testsOf } from '@keepsake/testing/vitest';
import { mergeConfig } from 'vitest/config';

// Servers are started and a browser is driven.
export default mergeConfig(testsOf(import.meta.dirname), {
  test: {
    globalSetup: 'test/browser/global-setup.ts',
    maxWorkers: 2,
  },
});
