import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** The test counts of one project. */
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

/** Counts the tests of a report file; `undefined` if it does not exist. */
export function readResults(path: string): Results | undefined {
  return existsSync(path) ? countTests(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
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

/** The result of a check other than a test: one failure. */
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
