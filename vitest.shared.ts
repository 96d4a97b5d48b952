import type { ViteUserConfig } from 'vitest/config';

/**
 * What every package's tests share: workspace packages resolve to their sources (no build first), and the
 * results are also written as JSON, which `npm test` adds up at its end.
 */
export function testsOf(project: string): ViteUserConfig {
  return {
    resolve: { conditions: ['@keepsake/source'] },
    ssr: { resolve: { conditions: ['@keepsake/source', 'node', 'import', 'default'] } },
    test: {
      include: ['test/**/*.test.ts'],
      testTimeout: 60_000,
      hookTimeout: 60_000,
      reporters: ['default', ['json', { outputFile: `${import.meta.dirname}/test-results/${project}.json` }]],
    },
  };
}
