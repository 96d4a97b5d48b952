import { tortureOf } from '@keepsake/testing/vitest-torture';
import { mergeConfig } from 'vitest/config';

// Tests that wait for locks must not wait for each other as well.
export default mergeConfig(tortureOf(import.meta.dirname), {
  test: { maxWorkers: 2, maxConcurrency: 20 },
});
