import { testsOf } from '@keepsake/testing/vitest';
import { mergeConfig } from 'vitest/config';

// One file after the other, since npm and the compiler keep a core busy; time for downloads where npm's cache is empty;
// and lines as the tests print them, which are figures for people to read.
export default mergeConfig(testsOf(import.meta.dirname), {
  test: { fileParallelism: false, testTimeout: 900_000, hookTimeout: 900_000, disableConsoleIntercept: true },
});
