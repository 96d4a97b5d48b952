import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closingLine, countTests, readResults, sum } from '../src/results.ts';

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

describe('countTests', () => {
  it('tells passed, failed and skipped tests apart', () => {
    const testResults = [
      file('passed', 'passed', 'passed', 'skipped', 'pending', 'todo'),
      file('failed', 'failed', 'passed'),
    ];

    expect(countTests({ testResults })).toEqual({ passed: 3, failed: 1, skipped: 3 });
  });

  it('counts a file that could not be loaded as one failed', () => {
    expect(countTests({ testResults: [file('failed')] })).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it('counts a file whose clean-up failed as one failed, and its tests as what they are', () => {
    expect(countTests({ testResults: [file('failed', 'passed')] })).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });
});

describe('readResults', () => {
  it('tells of results that are not there', () => {
    expect(readResults(join(tmpdir(), 'keepsake-no-such-results.json'))).toBeUndefined();
  });

  it('reads what Vitest wrote', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'keepsake-results-'));
    try {
      const path = join(directory, 'core.json');
      await writeFile(path, JSON.stringify({ testResults: [file('passed', 'passed')] }));

      expect(readResults(path)).toEqual({ passed: 1, failed: 0, skipped: 0 });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

it('sums over projects', () => {
  expect(sum([])).toEqual({ passed: 0, failed: 0, skipped: 0 });
  expect(
    sum([
      { passed: 1, failed: 2, skipped: 3 },
      { passed: 10, failed: 20, skipped: 30 },
    ]),
  ).toEqual({ passed: 11, failed: 22, skipped: 33 });
});

it('closes with a plain line that names skipped tests only where there are some', () => {
  expect(closingLine({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
  expect(closingLine({ passed: 12, failed: 1, skipped: 2 })).toBe('12 passed, 1 failed, 2 skipped');
});
