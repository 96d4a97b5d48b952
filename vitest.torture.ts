import { basename, join, relative } from 'node:path';
import type { ViteUserConfig } from 'vitest/config';
import { SHARE } from './tools/testing/src/torture/share.ts';
import { Table } from './tools/testing/src/torture/table.ts';
import { testsOf } from './vitest.shared.ts';

/**
 * What the torture tests of every project share, those in `test/torture`: at the end they say what was done, and where all
 * that is random began.
 *
 * @param directory where the project is: `import.meta.dirname` of its vitest.torture.config.ts.
 */
export function tortureOf(directory: string): ViteUserConfig {
  const seed = process.env.TORTURE_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
  const results = join(import.meta.dirname, 'test-results', relative(import.meta.dirname, directory));
  const share = SHARE < 1 ? ` in ${SHARE} of the rounds` : '';
  const table = new Table(
    `${results}.torture.txt`,
    `What @keepsake/${basename(directory)} has withstood${share} (TORTURE_SEED=${seed} repeats what is random):`,
  );
  const { test: _, ...resolving } = testsOf(directory);
  return {
    ...resolving,
    test: {
      include: ['test/torture/**/*.test.ts'],
      env: { FORCE_COLOR: '0', TORTURE_SEED: seed },
      testTimeout: 600_000,
      hookTimeout: 60_000,
      // The tests start servers and processes of their own.
      maxWorkers: 1,
      reporters: ['default', table, ['json', { outputFile: `${results}.torture.json` }]],
    },
  };
}
