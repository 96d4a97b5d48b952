import { FOR_PGLITE, testsOf } from '@keepsake/testing/vitest';
import { mergeConfig, type UserWorkspaceConfig } from 'vitest/config';

// The tests of all projects in one run: workers load what projects share once. Without those of two projects that only test
// what was built before.
const { include: _, ...test } = testsOf(import.meta.dirname).test ?? {};
const PGLITE = 'packages/{postgres,prisma}/test/**/*.test.ts';
const projects: UserWorkspaceConfig[] = [
  {
    extends: true,
    test: {
      name: 'tests',
      include: ['{packages,examples,tools}/*/test/**/*.test.ts'],
      exclude: ['tools/{docs,publishing}/**', PGLITE],
    },
  },
  { extends: true, test: { name: 'PGlite', include: [PGLITE], ...FOR_PGLITE } },
];

export default mergeConfig({ ...testsOf(import.meta.dirname), test }, { test: { projects } });
