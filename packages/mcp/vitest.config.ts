import { testsOf } from '@keepsake/testing/vitest';
import { mergeConfig } from 'vitest/config';

// Most tests start a process or several, and wait for them most of the time.
export default mergeConfig(testsOf(import.meta.dirname), { test: { maxWorkers: 2 } });
