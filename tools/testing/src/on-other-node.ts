/** Tests of a project that `npm test -- --also-on 22` leaves out on the other Node, after all of them ran on the project's own. */
interface LeftOut {
  readonly because: string;
  /** Globs of whole files, relative to the project. */
  readonly files?: readonly string[];
  /** Patterns of the beginnings of full names of tests, as in `suite > test`. They count as skipped. */
  readonly tests?: readonly string[];
}

const SERVERS =
  'what differs is a server, which the drivers reach on the other Node in packages/redis and packages/prisma';
const COMPUTED = 'nothing but JavaScript, which every Node computes alike';

/**
 * What is left out on other Nodes, by project. Only what can't differ between versions of Node, or is proven by another test
 * there: never a test of files, locks, processes, streams, `node:sqlite`, or of how a package is loaded. `npm run test:node`
 * leaves nothing out.
 */
export const LEFT_OUT: Readonly<Record<string, LeftOut>> = {
  'packages/bedrock': { because: COMPUTED, files: ['test/isolation.test.ts'] },
  'packages/claude': { because: COMPUTED, tests: ['the memory tool on a record workspace > '] },
  'packages/conformance': { because: COMPUTED, files: ['test/*/mutants.test.ts'] },
  'packages/conversations': { because: SERVERS, tests: ['Conversations on (?:Redis|Prisma)Store > '] },
  'packages/langgraph': { because: SERVERS, tests: ['(?:redis|prisma) > KeepsakeSaver '] },
  'packages/panel': {
    because: 'the page runs in the browser, and the other tests reach the server of the panel without it',
    files: ['test/browser/*.test.ts'],
  },
  'packages/prisma': {
    because:
      'PGlite is PostgreSQL once more, through the same adapter, and the database ranks and plans, which store-*.test.ts reaches',
    files: [
      'test/*pglite*.test.ts',
      'test/*plans.test.ts',
      'test/search-tree.test.ts',
      'test/search-blocks.test.ts',
      'test/store-ranking.test.ts',
      'test/superseding.test.ts',
    ],
  },
  'packages/redis': {
    because:
      'a cluster differs from one server in the server and in ioredis, and the scripts that rank run in the server',
    files: [
      'test/*-cluster.test.ts',
      'test/search-tree.test.ts',
      'test/store-index.test.ts',
      'test/split-terms.test.ts',
    ],
  },
};

/** The variable that asks for less. */
export const ON_OTHER_NODE = 'KEEPSAKE_ON_OTHER_NODE';

/** What the Vitest configuration of a project needs in order to leave its tests out. */
export function leftOutOf(project: string): { exclude: readonly string[]; testNamePattern?: RegExp } {
  const { files = [], tests = [] } = (process.env[ON_OTHER_NODE] === undefined ? undefined : LEFT_OUT[project]) ?? {};
  return { exclude: files, ...(tests.length === 0 ? {} : { testNamePattern: new RegExp(`^(?!${tests.join('|')})`) }) };
}

/** A line for each project, for the output of the run. */
export function describeLeftOut(): string[] {
  return Object.entries(LEFT_OUT).map(([project, { because, files = [], tests = [] }]) => {
    return `  ${project}: ${[...files, ...tests.map((name) => `tests named ${name}…`)].join(', ')} (${because})`;
  });
}
