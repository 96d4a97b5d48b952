import { readFile } from 'node:fs/promises';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import type { Tarball } from './pack.ts';
import { entryPoints, type Package } from './packages.ts';

/** How nobody resolves packages that have only modules. */
const NOT_FOR_MODULES: readonly string[] = ['node10', 'node16-cjs'];

/** What publint and "Are the types wrong?" have against a packed package. */
export async function packageFaults({ manifest }: Package, { path }: Pick<Tarball, 'path'>): Promise<string[]> {
  // In a buffer of its own, as publint wants it.
  const tarball = new Uint8Array(await readFile(path));
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  const faults = messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
  // Without anything to import, it finds no types, which is no fault.
  if (entryPoints(manifest).length === 0) return faults;
  const checked = await checkPackage(createPackageFromTarballData(tarball));
  const problems = checked.types === false ? [] : checked.problems;
  const relevant = problems.filter(
    (problem) => !('resolutionKind' in problem && NOT_FOR_MODULES.includes(problem.resolutionKind)),
  );
  return [...faults, ...relevant.map((problem) => JSON.stringify(problem))];
}
