import { join, relative } from 'node:path';
import { configDefaults, type ViteUserConfig } from 'vitest/config';

/**
 * What the tests of every project share: workspace packages resolve to their sources (no build first), and the results
 * are also written to `test-results/` as JSON, which `npm test` adds up.
 *
 * @param directory where the project is: `import.meta.dirname` of its vitest.config.ts.
 */
export function testsOf(directory: string): ViteUserConfig {
  const root = import.meta.dirname;
  // Workers, and the processes that tests start, load what the first of them have compiled: in a third of the time.
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/keepsake-compiled');
  return {
    resolve: { conditions: ['@keepsake/source'] },
    ssr: { resolve: { conditions: ['@keepsake/source', 'node'] } },
    test: {
      include: ['test/**/*.test.ts'],
      // What takes minutes has a configuration of its own.
      exclude: [...configDefaults.exclude, 'test/torture/**'],
      // Nx asks its tasks for colours; the programs that tests start would put them into what the tests read.
      env: { FORCE_COLOR: '0' },
      testTimeout: 60_000,
      hookTimeout: 60_000,
      reporters: ['default', ['json', { outputFile: join(root, 'test-results', `${relative(root, directory)}.json`) }]],
    },
  };
}
