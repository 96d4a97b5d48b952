import { testsOf } from '@keepsake/testing/vitest';
import { mergeConfig } from 'vitest/config';

// The tests of all projects in one run: workers load what projects share once. Without those of two projects that only test
// what was built before.
const config = mergeConfig(testsOf(import.meta.dirname), {
  test: { exclude: ['tools/{docs,publishing}/**'] },
});
config.test = { ...config.test, include: ['packages', 'examples', 'tools'].map((all) => `${all}/*/test/**/*.test.ts`) };

export default config;
