import { defineConfig } from 'vitest/config';
import { testsOf } from '../../vitest.shared.ts';

export default defineConfig(testsOf(import.meta.dirname));
