import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Counts of tests. */
export interface Results {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Describes each failure in one line. */
  readonly failures: readonly string[];
}

/** The fields of Vitest's JSON report that are read here. */
interface TestReport {
  readonly testResults: readonly FileReport[];
}

interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages?: readonly string[] | null | undefined;
  }[];
}

/**
 * Counts the tests of all report files in `directory` that match one of the patterns. A report that can't be read, because its
 * run was killed, counts as one failed test.
 */
export function readReports(patterns: readonly string[], directory: string): Results {
  const paths = globSync([...patterns], { cwd: directory });
  return sum(paths.map((path) => readReport(join(directory, path))));
}

function readReport(path: string): Results {
  try {
    return countTests(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    return failedCheck(`${path} is no report: ${error}`);
  }
}

/** Counts the tests of a report. A file that failed outside of its tests counts as one failed test. */
export function countTests({ testResults }: TestReport): Results {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const passed = all.filter((status) => status === 'passed').length;
  const failed = all.filter((status) => status === 'failed').length;
  const failures = testResults.flatMap(failuresOf);
  return { passed, failed: failures.length, skipped: all.length - passed - failed, failures };
}

function failuresOf({ name, status, message, assertionResults }: FileReport): string[] {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${name}: ${firstLine(message)}`] : [];
  return failed.map(({ fullName, failureMessages }) => `${name} > ${fullName}: ${firstLine(failureMessages?.[0])}`);
}

function firstLine(text = ''): string {
  return stripVTControlCharacters(text).trim().split('\n', 1)[0] ?? '';
}

/** The result of a failed command that is no test: one failure. */
export function failedCheck(what: string): Results {
  return { passed: 0, failed: 1, skipped: 0, failures: [what] };
}

export function sum(results: readonly Results[]): Results {
  return results.reduce(
    (total, { passed, failed, skipped, failures }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
      failures: [...total.failures, ...failures],
    }),
    { passed: 0, failed: 0, skipped: 0, failures: [] },
  );
}

/** The end of a run: a line for each failure, then {@link closingLine}. CI may keep no more than the end of its output. */
export function closing(total: Results): string {
  return ['', ...total.failures.map((failure) => `Failed: ${failure}`), '', closingLine(total)].join('\n');
}

/** Formats counts as `3 passed, 0 failed`, with skipped tests only if there are any. */
export function closingLine({ passed, failed, skipped }: Omit<Results, 'failures'>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
