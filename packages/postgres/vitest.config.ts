import { FOR_PGLITE, testsOf } from '@keepsake/testing/vitest';
import { mergeConfig } from 'vitest/config';

export default mergeConfig(testsOf(import.meta.dirname), { test: FOR_PGLITE });
