// `npm test`: runs every check, even after a failure, and adds up the tests of all projects. With `--also-on 22`, it
// also runs the tests of the packages that depend most on Node, on that version.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createProjectGraphAsync } from '@nx/devkit';
import { closing, closingLine, failedCheck, type Results, readResults, sum } from './results.ts';
import { runCheck } from './run-check.ts';
import { environment as env, FUZZ, TEST, TORTURE } from './targets.ts';
import { testOnNode } from './test-on-node.ts';

const { values } = parseArgs({ options: { 'also-on': { type: 'string', multiple: true, default: [] } } });

/** They use its files, locks, processes, `node:sqlite`, regular expressions and Unicode tables. `npm run test:node` tests all. */
const MOST_DEPENDENT = ['internal', 'core', 'search', 'file', 'sqlite', 'workspace'].map((name) => `packages/${name}`);
const root = join(import.meta.dirname, '../../..');
const resultsDirectory = join(root, 'test-results');
/** One after the other, because torture tests and the fuzzer use all processors. */
const tests = [
  { target: TEST, check: 'nx run-many -t test', minutes: 50 },
  { target: TORTURE, check: 'npm run --silent test:torture', minutes: 35 },
  { target: FUZZ, check: 'npm run --silent test:fuzz', minutes: 10 },
];
/** With time limits well above what they take, so that one that hangs leaves time for the others. */
const checks = [
  { check: 'npm run --silent lint', minutes: 10 },
  { check: 'npm run --silent typecheck', minutes: 10 },
  { check: 'nx run-many -t check:package', minutes: 15 },
  ...tests,
];

rmSync(resultsDirectory, { recursive: true, force: true });
const failedChecks: string[] = [];
const durations: string[] = [];
/** Runs a part and notes how long it took. */
async function timed<T>(name: string, part: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await part();
  } finally {
    durations.push(`${((performance.now() - start) / 60_000).toFixed(1)} min  ${name}`);
  }
}

for (const { check, minutes } of checks) {
  console.log(`\n── ${check}`);
  if (!(await timed(check, () => runCheck(check, { cwd: root, env, minutes })))) failedChecks.push(check);
}

const { nodes } = await createProjectGraphAsync();
const results = tests.flatMap(({ target, check }) => {
  const tested = Object.values(nodes).filter(({ data }) => data.targets?.[target.name] !== undefined);
  return tested.map(({ data: { root: project } }) => {
    const counted = readResults(join(resultsDirectory, `${project}${target.results}`));
    console.log(`${project}, ${target.name}: ${counted === undefined ? 'left no results' : closingLine(counted)}`);
    return { check, ...(counted ?? failedCheck(`${project} left no results`)) };
  });
});

// Failed tests are counted individually; any other failed check counts as one.
const counted = results.filter(({ failed }) => failed > 0).map(({ check }) => check);
const otherFailures = failedChecks.filter((check) => !counted.includes(check)).map(failedCheck);
const elsewhere: Results[] = [];
for (const version of values['also-on']) {
  const onNode = () => testOnNode(version, [TEST], MOST_DEPENDENT);
  const results = await timed(`tests on Node ${version}`, onNode).catch((error) => {
    console.error(error);
    return failedCheck(`Node ${version}`);
  });
  elsewhere.push(results);
}
const total = sum([...results, ...otherFailures, ...elsewhere]);
console.log(['', 'Time:', ...durations].join('\n'));
console.log(closing(total));
process.exitCode = total.failed > 0 ? 1 : 0;
