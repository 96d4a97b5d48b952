import type { Lanes, Part } from './part.ts';

/*
 * The limits are four to five times what parts take on two idle cores: machines of CI are that slow at times.
 */

/** They use files, locks, processes, `node:sqlite`, regular expressions and Unicode tables of Node more than the others do. */
const MOST_DEPENDENT = ['internal', 'core', 'search', 'file', 'sqlite', 'workspace'].map((name) => `packages/${name}`);

const PREPARE: Part = {
  name: 'generated code and the app of the panel',
  command: 'npx nx run-many -t generate build:app --output-style=static',
  minutes: 15,
};
const LINT: Part = { name: 'lint', command: 'npm run --silent lint', minutes: 15 };
const TYPES: Part = { name: 'types', command: 'npm run --silent typecheck', minutes: 20 };
const TESTS: Part = { name: 'tests', command: 'npx vitest run', minutes: 60, live: true, reports: ['tests.json'] };

const BUILDS: Part = { name: 'builds', command: 'npx nx run-many -t build --output-style=static', minutes: 40 };
const FUZZER: Part = {
  name: 'fuzzer',
  command: 'npm run --silent test:fuzz',
  minutes: 30,
  reports: ['tools/fuzz.fuzz.json'],
};

/** What every change waits for. */
export const DAY: readonly Lanes[] = [[[PREPARE]], [[LINT, TYPES], [TESTS]]];

/** What `.ci/run` adds: the packages as npm gets them, a fiftieth of the torture rounds, fixed hostile inputs, the oldest Node. */
export const CI: readonly Lanes[] = [
  [
    [
      BUILDS,
      {
        name: 'each package alone',
        // What it tests was built for the part before.
        command: 'npx vitest run --root tools/publishing',
        minutes: 60,
        reports: ['tools/publishing.json'],
      },
    ],
    [torture('0.02', 60)],
    [FUZZER, onNode('22', 60, MOST_DEPENDENT, { TEST_SHARE: '0.02' })],
  ],
];

/** What the nightly workflow runs, here: hours. */
export const EVERYTHING: readonly Lanes[] = [
  [
    [
      {
        name: 'all tests',
        command: 'npx nx run-many -t test --skip-nx-cache --output-style=static',
        env: { TEST_SHARE: '1' },
        minutes: 120,
        live: true,
        reports: ['{packages,examples,tools}/*.json'],
      },
      torture('1', 90),
      { name: 'PgBouncer', command: 'npm run --silent test:pgbouncer', minutes: 20, reports: ['**/*.pgbouncer.json'] },
      { name: 'Claude Code', command: 'npm run --silent test:claude-code', minutes: 15 },
      FUZZER,
      { name: 'fuzzer, new inputs', command: 'npm run --silent test:fuzz -- --minutes 10', minutes: 30 },
      { name: 'soak', command: 'npm run --silent soak -- --minutes 10', minutes: 100 },
      { name: 'speed', command: 'npm run --silent bench -- guard', minutes: 10 },
      onNode('22', 90),
      onNode('26', 90),
    ],
  ],
];

function torture(share: string, minutes: number): Part {
  return {
    name: share === '1' ? 'torture' : `torture, ${share} of the rounds`,
    // More than can run, because they wait most of the time: for locks, servers and processes that they stopped.
    command: 'npm run --silent test:torture -- --parallel=5',
    env: { TEST_SHARE: share },
    minutes,
    reports: ['**/*.torture.json'],
  };
}

function onNode(version: string, minutes: number, projects: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Part {
  const command = ['npm run --silent test:node --', version, ...projects].join(' ');
  return { name: `Node ${version}`, command, env, minutes, reports: [`node-${version}/**/*.json`] };
}
