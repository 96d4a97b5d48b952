import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vitest/config';
import { testsOf } from '../../vitest.shared.ts';

const { resolve, ssr } = testsOf(import.meta.dirname);
const outputFile = join(import.meta.dirname, '../../test-results/packages/redis.torture.json');

export default mergeConfig(
  { resolve, ssr },
  defineConfig({
    test: {
      include: ['test/torture/**/*.test.ts'],
      env: { FORCE_COLOR: '0' },
      testTimeout: 600_000,
      hookTimeout: 60_000,
      // They start processes of their own.
      maxWorkers: 1,
      reporters: ['default', ['json', { outputFile }]],
    },
  }),
);
