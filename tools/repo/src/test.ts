// `npm test`: runs every check, also after one has failed, and adds up the tests of all projects.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createProjectGraphAsync } from '@nx/devkit';
import { closingLine, readResults, sum } from './results.ts';

const root = join(import.meta.dirname, '../../..');
const resultsDirectory = join(root, 'test-results');
const testCheck = 'nx run-many -t test';
const checks = ['npm run --silent lint', 'nx run-many -t typecheck', 'nx run-many -t check:package', testCheck];

rmSync(resultsDirectory, { recursive: true, force: true });
const failedChecks = checks.filter((check) => {
  console.log(`\n── ${check}`);
  return spawnSync(check, { cwd: root, shell: true, stdio: 'inherit' }).status !== 0;
});

const { nodes } = await createProjectGraphAsync();
const testedProjects = Object.values(nodes).filter(({ data }) => data.targets?.test !== undefined);
const results = testedProjects.map(({ data: { root: project } }) => {
  const counted = readResults(join(resultsDirectory, `${project}.json`));
  console.log(`${project}: ${counted === undefined ? 'left no results' : closingLine(counted)}`);
  return counted ?? { passed: 0, failed: 1, skipped: 0 };
});
const tests = sum(results);

for (const check of failedChecks) console.log(`Failed: ${check}`);
// Failed tests are counted one by one; any other check that failed counts as one.
const otherFailures = failedChecks.filter((check) => check !== testCheck || tests.failed === 0).length;
const total = { ...tests, failed: tests.failed + otherFailures };
console.log(`\n${closingLine(total)}`);
process.exitCode = total.failed > 0 ? 1 : 0;
