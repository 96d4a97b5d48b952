import { statSync } from 'node:fs';
import { formatNamespace } from '@keepsake/core';
import { checkDirectory } from '@keepsake/file';
import type { Health, HealthProblem } from '../protocol.ts';

const MAX_PROBLEMS = 100;

/** What `keepsake doctor` finds in a directory of files; `undefined` if the configuration is no such directory. */
export async function checkFiles(path: string): Promise<Health['files']> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  const problems: HealthProblem[] = [];
  let [bytes, count] = [0, 0];
  for await (const report of checkDirectory({ directory: path })) {
    bytes += report.bytes;
    const { of } = report;
    const where = of === undefined ? report.kind : typeof of === 'string' ? of : formatNamespace(of);
    count += report.problems.length;
    for (const { kind, message, repairable } of report.problems.slice(0, MAX_PROBLEMS - problems.length)) {
      problems.push({ kind, message, repairable, where });
    }
  }
  return {
    bytes,
    problems,
    moreProblems: count - problems.length,
  };
}
