import { tortureOf } from '@keepsake/testing/vitest-torture';
import { defineConfig } from 'vitest/config';

/** Apart from the other torture tests, because npm can't install PgBouncer. */
export default defineConfig(tortureOf(import.meta.dirname, 'pgbouncer'));
