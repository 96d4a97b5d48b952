import { join } from 'node:path';
import { Table } from '@keepsake/testing/torture/table';
import { defineConfig, mergeConfig } from 'vitest/config';
import { testsOf } from '../../vitest.shared.ts';

const seed = process.env.TORTURE_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
const results = join(import.meta.dirname, '../../test-results/packages');
const table = new Table(
  join(results, 'namespaces.torture.txt'),
  `What @keepsake/namespaces has withstood (TORTURE_SEED=${seed} repeats what is random):`,
);

const { resolve, ssr } = testsOf(import.meta.dirname);

export default mergeConfig(
  { resolve, ssr },
  defineConfig({
    test: {
      include: ['test/torture/**/*.test.ts'],
      env: { FORCE_COLOR: '0', TORTURE_SEED: seed },
      testTimeout: 600_000,
      hookTimeout: 60_000,
      // The tests start servers and processes of their own.
      maxWorkers: 1,
      reporters: ['default', table, ['json', { outputFile: join(results, 'namespaces.torture.json') }]],
    },
  }),
);
