import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { type Part, resultsOf, runLanes } from '../src/part.ts';
import { failedCheck, sum } from '../src/results.ts';

const part = (name: string, command: string): Part => ({ name, command, minutes: 1 });

it('lanes run concurrently, and the parts of a lane one after the other, even after a failure', async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(console, 'log').mockReturnValue();
  const pipe = join(mkdtempSync(join(tmpdir(), 'keepsake-lanes-')), 'pipe');
  execFileSync('mkfifo', [pipe]);
  // Opening a pipe waits until the other end is opened, so these two end only if they run at once.
  const outcomes = await runLanes([
    [part('fails', 'exit 1'), part('writes', `echo one > ${pipe}`)],
    [part('reads', `cat ${pipe}`)],
  ]);
  vi.restoreAllMocks();
  rmSync(dirname(pipe), { recursive: true });

  const results = Object.fromEntries(outcomes.map(({ name, results }) => [name, results]));
  expect(results).toEqual({ fails: failedCheck('fails'), writes: sum([]), reads: sum([]) });
  expect(outcomes[0]?.name).toBe('fails');
});

it('a part without tests passes or fails as a whole', () => {
  expect(resultsOf('lint', true, undefined)).toEqual(sum([]));
  expect(resultsOf('lint', false, undefined)).toEqual(failedCheck('lint'));
});

it('a part with tests fails by its tests, and also if its command fails or runs none', () => {
  const tests = { passed: 3, failed: 0, skipped: 1, failures: [] };
  const failed = { ...tests, failed: 1, failures: ['a'] };
  expect(resultsOf('tests', true, tests)).toEqual(tests);
  expect(resultsOf('tests', false, failed)).toEqual(failed);
  expect(resultsOf('tests', false, tests)).toEqual({ ...tests, failed: 1, failures: ['tests'] });
  expect(resultsOf('tests', true, sum([]))).toEqual(failedCheck('tests ran no test'));
});
