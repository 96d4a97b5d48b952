// `npm test`: runs every check, also after one has failed, and adds up the tests of all projects.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createProjectGraphAsync } from '@nx/devkit';
import { closingLine, readResults, sum } from './results.ts';

const root = join(import.meta.dirname, '../../..');
const resultsDirectory = join(root, 'test-results');
/** Targets that leave results, and how the names of these end. One after the other: torture takes all processors. */
const tests = [
  { target: 'test', check: 'nx run-many -t test', ending: '.json' },
  { target: 'test:torture', check: 'npm run --silent test:torture', ending: '.torture.json' },
];
const checks = [
  'npm run --silent lint',
  'nx run-many -t typecheck',
  'nx run-many -t check:package',
  ...tests.map(({ check }) => check),
];

/** Torture in full takes a quarter of an hour: here, a tenth of its rounds. `npm run test:torture` does all of them. */
const env = { TORTURE_SHARE: '0.1', ...process.env };

rmSync(resultsDirectory, { recursive: true, force: true });
const failedChecks = checks.filter((check) => {
  console.log(`\n── ${check}`);
  return spawnSync(check, { cwd: root, env, shell: true, stdio: 'inherit' }).status !== 0;
});

const { nodes } = await createProjectGraphAsync();
const results = tests.flatMap(({ target, check, ending }) => {
  const tested = Object.values(nodes).filter(({ data }) => data.targets?.[target] !== undefined);
  return tested.map(({ data: { root: project } }) => {
    const counted = readResults(join(resultsDirectory, `${project}${ending}`));
    console.log(`${project}, ${target}: ${counted === undefined ? 'left no results' : closingLine(counted)}`);
    return { check, ...(counted ?? { passed: 0, failed: 1, skipped: 0 }) };
  });
});

for (const check of failedChecks) console.log(`Failed: ${check}`);
// Failed tests are counted one by one; any other check that failed counts as one.
const counted = results.filter(({ failed }) => failed > 0).map(({ check }) => check);
const otherFailures = failedChecks.filter((check) => !counted.includes(check)).length;
const { failed, ...rest } = sum(results);
const total = { ...rest, failed: failed + otherFailures };
console.log(`\n${closingLine(total)}`);
process.exitCode = total.failed > 0 ? 1 : 0;
