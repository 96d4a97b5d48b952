import { testsOf } from '@keepsake/testing/vitest';
import { defineConfig, mergeConfig } from 'vitest/config';

// LangGraph's own suite for savers uses the globals of Vitest.
export default defineConfig(mergeConfig(testsOf(import.meta.dirname), { test: { globals: true } }));
