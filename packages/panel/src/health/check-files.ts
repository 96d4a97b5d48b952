import { statSync } from 'node:fs';
import type { OpenedConfig } from '@keepsake/config';
import { formatNamespace } from '@keepsake/core';
import { checkDirectory, FileSessionStore, FileStore } from '@keepsake/file';
import type { Health, HealthProblem } from '../protocol.ts';

const MAX_PROBLEMS = 100;

/** What `keepsake doctor` finds in the directories of a configuration; `undefined` if it is not known to have any. */
export async function checkFiles(config: OpenedConfig): Promise<Health['files']> {
  const directories = await directoriesOf(config);
  if (directories.length === 0) return undefined;
  const problems: HealthProblem[] = [];
  let [bytes, count] = [0, 0];
  for (const directory of directories) {
    for await (const report of checkDirectory({ directory })) {
      bytes += report.bytes;
      const { of } = report;
      const where = of === undefined ? report.kind : typeof of === 'string' ? of : formatNamespace(of);
      count += report.problems.length;
      for (const { kind, message, repairable } of report.problems.slice(0, MAX_PROBLEMS - problems.length)) {
        problems.push({ kind, message, repairable, where });
      }
    }
  }
  return { bytes, problems, moreProblems: count - problems.length };
}

/** The configuration can be a directory itself, or a program whose stores are in one. A wrapped store doesn't tell. */
async function directoriesOf(config: OpenedConfig): Promise<string[]> {
  const { sessions } = config.configuration;
  // What can't be opened is reported by the check of that part.
  const stores: unknown[] = await Promise.all([
    config.memory().catch(() => undefined),
    sessions === undefined ? undefined : config.sessions().catch(() => undefined),
  ]);
  const ofStores = stores.flatMap((store) =>
    store instanceof FileStore || store instanceof FileSessionStore ? store.directory : [],
  );
  return [...new Set([config.path, ...ofStores])].filter((path) => {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  });
}
