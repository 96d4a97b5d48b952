import { testsOf } from '@keepsake/testing/vitest';
import { defineConfig } from 'vitest/config';

export default defineConfig(testsOf(import.meta.dirname));
