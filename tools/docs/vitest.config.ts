import { testsOf } from '@keepsake/testing/vitest';
import { mergeConfig } from 'vitest/config';

// The site is built once, before the tests of its files and of its pages in a browser.
export default mergeConfig(testsOf(import.meta.dirname), {
  test: { globalSetup: 'test/support/build-site.ts' },
});
