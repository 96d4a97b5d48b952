import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { configDefaults, type ViteUserConfig } from 'vitest/config';
import type { InlineConfig } from 'vitest/node';

const ROOT = join(import.meta.dirname, '../../..');

/** Where test runs leave their results. `npm test` adds them up. */
export const RESULTS = process.env.KEEPSAKE_TEST_RESULTS ?? join(ROOT, 'test-results');

/** Folders of tests that have a configuration of their own: they take minutes, or need what npm can't install. */
const APART = '{torture,pgbouncer,claude-code}';

/**
 * The Vitest configuration of every project: workspace packages resolve to their sources (no build needed), and the results
 * are also written as JSON to `test-results/`, which `npm test` adds up.
 *
 * Test files share their worker process, so each leaves global state as it found it: environment, mocks, working directory. One
 * that doesn't fails. Unless `TEST_SHARE` is 1, tests that are tagged `nightly` are left out, and generated inputs are the same in
 * every run.
 *
 * @param directory - The directory of the project: `import.meta.dirname` of its vitest.config.ts.
 */
export function testsOf(directory: string): ViteUserConfig {
  // Workers and child processes reuse compiled code from this cache, which takes a third of the time.
  process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/keepsake-compiled');
  process.env.TEST_SHARE ??= '0.1';
  const all = Number(process.env.TEST_SHARE) === 1;
  return {
    resolve: { conditions: ['@keepsake/source'] },
    ssr: { resolve: { conditions: ['@keepsake/source', 'node'] } },
    test: {
      include: ['test/**/*.test.ts'],
      exclude: [...configDefaults.exclude, `**/test/${APART}/**`],
      isolate: false,
      // More than can run, and several tests of a file at once, because tests wait: for processes, servers, locks and disks.
      maxWorkers: 2 * availableParallelism(),
      maxConcurrency: 10,
      ...nightly(all),
      setupFiles: ['leaves-no-trace.ts', ...(all ? [] : ['fixed-seed.ts'])].map((file) =>
        join(import.meta.dirname, file),
      ),
      // LangGraph's own suite for savers uses the globals of Vitest. Ours import them: the compiler knows no global ones.
      globals: true,
      // Nx enables colours, which would end up in the program output that tests read.
      env: { FORCE_COLOR: '0' },
      // What other processes and disks do takes more than the default second at times.
      expect: { poll: { timeout: 30_000 } },
      testTimeout: 180_000,
      hookTimeout: 180_000,
      slowTestThreshold: 5_000,
      reporters: ['default', ['json', { outputFile: join(RESULTS, `${relative(ROOT, directory) || 'tests'}.json`) }]],
    },
  };
}

/**
 * Options for tests that use PGlite, which is WebAssembly. Node ends a worker at times when V8 frees WebAssembly code that it
 * has replaced by faster code: https://github.com/nodejs/node/issues/64500. With this it keeps it. Not an option of all workers:
 * code that was compiled under other options isn't reused, and processes that tests start don't have it.
 */
export const FOR_PGLITE: Pick<InlineConfig, 'execArgv'> = { execArgv: ['--no-wasm-code-gc'] };

/** Declares the tag `nightly`. Tests with it are left out unless all run. */
export function nightly(all: boolean): Pick<InlineConfig, 'tags'> {
  const tags = [{ name: 'nightly', description: 'Takes long: runs every night and in `npm run test:all`.' }];
  return { tags, ...(!all && { tagsFilter: ['!nightly'] }) };
}
