import { join, relative } from 'node:path';
import { configDefaults, type ViteUserConfig } from 'vitest/config';

/**
 * The Vitest configuration of every project: workspace packages resolve to their sources (no build needed), and the results
 * are also written as JSON to `test-results/`, which `npm test` adds up.
 *
 * @param directory - The directory of the project: `import.meta.dirname` of its vitest.config.ts.
 */
export function testsOf(directory: string): ViteUserConfig {
  const root = join(import.meta.dirname, '../../..');
  const results = process.env.KEEPSAKE_TEST_RESULTS ?? join(root, 'test-results');
  // Workers and child processes reuse compiled code from this cache, which takes a third of the time.
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/keepsake-compiled');
  const project = relative(root, directory);
  return {
    resolve: { conditions: ['@keepsake/source'] },
    ssr: { resolve: { conditions: ['@keepsake/source', 'node'] } },
    test: {
      include: ['test/**/*.test.ts'],
      // Tests that take minutes, or need what npm can't install, have a separate configuration.
      exclude: [...configDefaults.exclude, 'test/{torture,pgbouncer,claude-code}/**'],
      // Nx enables colours, which would end up in the program output that tests read.
      env: { FORCE_COLOR: '0' },
      // What other processes and disks do takes more than the default second at times.
      expect: { poll: { timeout: 30_000 } },
      testTimeout: 180_000,
      hookTimeout: 60_000,
      reporters: ['default', ['json', { outputFile: join(results, `${project}.json`) }]],
    },
  };
}
