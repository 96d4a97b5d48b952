import { testsOf } from '@keepsake/testing/vitest';
import { mergeConfig } from 'vitest/config';

// These tests mostly wait: for locks to become stale, and for other processes.
export default mergeConfig(testsOf(import.meta.dirname), { test: { maxWorkers: 3, maxConcurrency: 20 } });
