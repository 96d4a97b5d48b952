import { tortureOf } from '@keepsake/testing/vitest-torture';
import { defineConfig } from 'vitest/config';

export default defineConfig(tortureOf(import.meta.dirname));
