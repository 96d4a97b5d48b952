import { testsOf } from '@keepsake/testing/vitest';
import { mergeConfig } from 'vitest/config';

const config = testsOf(import.meta.dirname);

// Tests in a browser are nightly.
export default process.env.TEST_SHARE === '1'
  ? mergeConfig(config, { test: { globalSetup: 'test/browser/global-setup.ts' } })
  : config;
