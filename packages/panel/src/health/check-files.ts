import { statSync } from 'node:fs';
import type { OpenedConfig } from '@keepsake/config';
import { formatNamespace, type Namespace } from '@keepsake/core';
import { isWithin } from '@keepsake/core/adapter';
import { checkDirectory, type FolderReport } from '@keepsake/file';
import type { Health, HealthProblem } from '../protocol.ts';

const MAX_PROBLEMS = 100;

/**
 * What `keepsake doctor` finds below the root of the configuration, and in its sessions; `undefined` if there are no files.
 *
 * @param stores - The stores that could be opened. The configuration can also be a directory itself.
 */
export async function checkFiles(
  { path, namespace: root }: OpenedConfig,
  stores: readonly { readonly directory?: string }[],
): Promise<Health['files']> {
  const named = [path, ...stores.map(({ directory }) => directory)].filter((one) => one !== undefined);
  const directories = [...new Set(named)].filter((one) => statSync(one, { throwIfNoEntry: false })?.isDirectory());
  if (directories.length === 0) return undefined;
  const problems: HealthProblem[] = [];
  let [bytes, count] = [0, 0];
  for (const directory of directories) {
    for await (const report of checkDirectory({ directory })) {
      const where = placeOf(report, root);
      if (where === undefined) continue;
      bytes += report.bytes;
      count += report.problems.length;
      for (const { kind, message, repairable } of report.problems.slice(0, MAX_PROBLEMS - problems.length)) {
        problems.push({ kind, message, repairable, where });
      }
    }
  }
  return { bytes, problems, moreProblems: count - problems.length };
}

/** The session or the namespace of a folder, as the panel names it; `undefined` if it is not below the root. */
function placeOf({ kind, of }: FolderReport, root: Namespace): string | undefined {
  // Damage took the name, so it may be any of them.
  if (of === undefined) return kind;
  if (typeof of === 'string') return of;
  return isWithin(of, root) ? formatNamespace(of.slice(root.length)) : undefined;
}
