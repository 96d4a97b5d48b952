import { testsOf } from '@keepsake/testing/vitest';
import { mergeConfig } from 'vitest/config';

const config = testsOf(import.meta.dirname);

// The site is built once, before the tests of its files and of its pages in a browser. All of them are nightly.
export default process.env.TEST_SHARE === '1'
  ? mergeConfig(config, { test: { globalSetup: 'test/support/build-site.ts' } })
  : config;
