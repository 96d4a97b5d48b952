import { defineConfig } from 'vitest/config';
import { tortureOf } from '../../vitest.torture.ts';

export default defineConfig(tortureOf(import.meta.dirname));
