import { testsOf } from '@keepsake/testing/vitest';
import { mergeConfig } from 'vitest/config';

// Each test is a process or two, and waits for them most of the time.
export default mergeConfig(testsOf(import.meta.dirname), { test: { maxWorkers: 2, maxConcurrency: 4 } });
