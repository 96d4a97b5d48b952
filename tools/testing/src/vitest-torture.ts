import { basename, join, relative } from 'node:path';
import type { ViteUserConfig } from 'vitest/config';
import { Table } from './torture/table.ts';
import { nightly, RESULTS, testsOf } from './vitest.ts';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * The Vitest configuration of the torture tests in `test/torture` of every project: all rounds, unless `TEST_SHARE` is set.
 * With a smaller share, tests that are tagged `nightly` are left out. At the end of a run, it prints what was done and the
 * random seed.
 *
 * @param directory - The directory of the project: `import.meta.dirname` of its vitest.torture.config.ts.
 * @param folder - The folder of the tests, whose results are apart from those of other folders. @default 'torture'
 */
export function tortureOf(directory: string, folder = 'torture'): ViteUserConfig {
  process.env.TEST_SHARE ??= '1';
  const share = Number(process.env.TEST_SHARE);
  const seed = process.env.TORTURE_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
  const results = join(RESULTS, relative(ROOT, directory));
  const table = new Table(
    `${results}.${folder}.txt`,
    `Torture tests of @keepsake/${basename(directory)}${share < 1 ? `, ${share} of all rounds` : ''} (repeat with TORTURE_SEED=${seed}):`,
  );
  const { test, ...resolving } = testsOf(directory);
  return {
    ...resolving,
    test: {
      include: [`test/${folder}/**/*.test.ts`],
      env: { FORCE_COLOR: '0', TORTURE_SEED: seed },
      ...(test?.expect && { expect: test.expect }),
      ...nightly(share === 1),
      testTimeout: 600_000,
      hookTimeout: 180_000,
      // The tests start their own servers and processes.
      maxWorkers: 1,
      reporters: ['default', table, ['json', { outputFile: `${results}.${folder}.json` }]],
    },
  };
}
