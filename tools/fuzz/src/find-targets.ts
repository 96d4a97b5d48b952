import { globSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import type { FuzzTarget } from '@keepsake/testing/fuzz/target';

/** A target, and where it is. */
export interface NamedTarget {
  /** Package, file and export: `cli/importers/chatgpt`. */
  readonly name: string;
  readonly file: string;
  readonly exportName: string;
  /** The number of inputs of a short run. */
  readonly inputs: number;
}

const DEFAULT_INPUTS = 500;

/** The targets in `test/fuzz` of every package whose names start with `prefix`, by name. */
export async function findTargets(packages: string, prefix: string): Promise<NamedTarget[]> {
  const files = globSync('*/test/fuzz/*.ts', { cwd: packages }).sort();
  // Loads no package that cannot have one of the targets.
  const possible = files.filter((file) => haveCommonStart(groupOf(file), prefix));
  const found = await Promise.all(possible.map((file) => targetsIn(packages, file)));
  return found.flat().filter(({ name }) => name.startsWith(prefix));
}

function haveCommonStart(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

/** The package and the file: `cli/importers`. */
function groupOf(path: string): string {
  return `${path.split(sep, 1)[0]}/${basename(path, '.ts')}`;
}

async function targetsIn(packages: string, path: string): Promise<NamedTarget[]> {
  const file = join(packages, path);
  const exported = (await import(file)) as Record<string, FuzzTarget>;
  return Object.entries(exported).map(([exportName, { inputs = DEFAULT_INPUTS }]) => {
    return { name: `${groupOf(path)}/${exportName}`, file, exportName, inputs };
  });
}
