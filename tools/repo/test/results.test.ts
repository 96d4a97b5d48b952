import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closing, closingLine, countTests, failedCheck, readReports, sum } from '../src/results.ts';

const file = (status: string, ...tests: string[]) => ({
  name: 'a.test.ts',
  status,
  message: status === 'failed' ? 'Could not load\nthe file' : '',
  assertionResults: tests.map((test) => ({
    status: test,
    fullName: `${test} one`,
    failureMessages: test === 'failed' ? ['\u001b[31mError: no\u001b[39m\n    at b.ts:1'] : [],
  })),
});

describe('countTests', () => {
  it('counts passed, failed and skipped tests', () => {
    const testResults = [
      file('passed', 'passed', 'passed', 'skipped', 'pending', 'todo'),
      file('failed', 'failed', 'passed'),
    ];

    expect(countTests({ testResults })).toEqual({
      passed: 3,
      failed: 1,
      skipped: 3,
      failures: ['a.test.ts > failed one: Error: no'],
    });
  });

  it('counts a file that could not be loaded as one failed test', () => {
    expect(countTests({ testResults: [file('failed')] })).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
      failures: ['a.test.ts: Could not load'],
    });
  });

  it('counts a file whose clean-up failed as one failed test, besides its tests', () => {
    expect(countTests({ testResults: [file('failed', 'passed')] })).toMatchObject({ passed: 1, failed: 1, skipped: 0 });
  });
});

describe('readReports', () => {
  it('adds up the reports of Vitest that match', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'keepsake-results-'));
    try {
      const report = JSON.stringify({ testResults: [file('passed', 'passed', 'skipped')] });
      for (const name of ['core.json', 'file.json', 'file.torture.json'])
        await writeFile(join(directory, name), report);

      const tests = { passed: 1, failed: 0, skipped: 1, failures: [] };
      expect(readReports(['*.torture.json'], directory)).toEqual(tests);
      expect(readReports(['core.json', 'file.json'], directory)).toEqual({ ...tests, passed: 2, skipped: 2 });
      expect(readReports(['none.json'], directory)).toEqual(sum([]));

      // The run was killed while it wrote.
      await writeFile(join(directory, 'half.json'), report.slice(0, -9));
      const { failed, failures } = readReports(['*.json'], directory);
      expect(failed).toBe(1);
      expect(failures[0]).toContain('half.json is no report: SyntaxError');
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

it('sums over projects', () => {
  expect(sum([])).toEqual({ passed: 0, failed: 0, skipped: 0, failures: [] });
  expect(
    sum([
      { passed: 1, failed: 2, skipped: 3, failures: ['a', 'b'] },
      { passed: 10, failed: 20, skipped: 30, failures: ['c'] },
    ]),
  ).toEqual({ passed: 11, failed: 22, skipped: 33, failures: ['a', 'b', 'c'] });
});

it('ends with a plain line that names skipped tests only if there are any', () => {
  expect(closingLine({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
  expect(closingLine({ passed: 12, failed: 1, skipped: 2 })).toBe('12 passed, 1 failed, 2 skipped');
});

it('names each failure before the last line', () => {
  expect(closing(sum([failedCheck('lint'), countTests({ testResults: [file('failed', 'failed')] })]))).toBe(
    '\nFailed: lint\nFailed: a.test.ts > failed one: Error: no\n\n0 passed, 2 failed',
  );
});
