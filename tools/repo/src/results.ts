import { existsSync, readFileSync } from 'node:fs';

/** What one project's tests came to. */
export interface Results {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The JSON of Vitest's reporter, as far as we read it. */
interface TestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** Counts the tests of a report file; `undefined` when there is none. */
export function readResults(path: string): Results | undefined {
  return existsSync(path) ? countTests(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
}

/** Counts the tests of a report. A file that broke outside of its tests counts as one failed. */
export function countTests({ testResults }: TestReport): Results {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const passed = all.filter((status) => status === 'passed').length;
  const failed = all.filter((status) => status === 'failed').length;
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  return { passed, failed: failed + broken, skipped: all.length - passed - failed };
}

export function sum(results: readonly Results[]): Results {
  return results.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

/** `3 passed, 0 failed`, with skipped tests only where there are some. */
export function closingLine({ passed, failed, skipped }: Results): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
