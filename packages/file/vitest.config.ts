import { mergeConfig } from 'vitest/config';
import { testsOf } from '../../vitest.shared.ts';

// Much of the time these tests wait for locks to grow stale, and for other processes.
export default mergeConfig(testsOf(import.meta.dirname), { test: { maxWorkers: 3, maxConcurrency: 20 } });
