import { testsOf } from '@keepsake/testing/vitest';
import { mergeConfig } from 'vitest/config';

/** Apart from the other tests, because it installs Claude Code, 430 MB. */
const config = mergeConfig(testsOf(import.meta.dirname), { test: { testTimeout: 600_000 } });
config.test = { ...config.test, include: ['test/claude-code/**/*.test.ts'], exclude: [] };

export default config;
