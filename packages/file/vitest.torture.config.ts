import { mergeConfig } from 'vitest/config';
import { tortureOf } from '../../vitest.torture.ts';

// Those that wait for locks are not to wait for a processor, too.
export default mergeConfig(tortureOf(import.meta.dirname), {
  test: { globalSetup: ['test/torture/warm-up.ts'], maxWorkers: 2, maxConcurrency: 20 },
});
