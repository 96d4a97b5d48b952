import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '@keepsake/testing/run';
import { outsideImports, packageOf } from './imports.ts';
import type { Package } from './packages.ts';

const PROGRAMS = join(import.meta.dirname, '../programs');

/**
 * Copies the demo program of a package into a project and returns its path.
 *
 * @throws Error if there is none, because each package must have one.
 */
export function placeProgram(name: string, project: string): string {
  const file = `${name.replace('@keepsake/', '')}.mjs`;
  if (!existsSync(join(PROGRAMS, file))) {
    throw new Error(`${name} has no program. Write tools/publishing/programs/${file} like the others in that folder.`);
  }
  copyFileSync(join(PROGRAMS, file), join(project, 'program.mjs'));
  return join(project, 'program.mjs');
}

/** Copies the second program of a package, which is compiled but not run, and returns its path. */
export function placeTypes(name: string, project: string): string[] {
  const file = join(PROGRAMS, `${name.replace('@keepsake/', '')}.ts`);
  if (!existsSync(file)) return [];
  copyFileSync(file, join(project, 'types.ts'));
  return [join(project, 'types.ts')];
}

/** The packages of this repository that a program imports. */
export function importedBy(program: string, packages: readonly Package[]): string[] {
  const imported = outsideImports(readFileSync(program, 'utf8')).map(packageOf);
  return packages.map(({ name }) => name).filter((name) => imported.includes(name));
}

/** @throws Error with the output of the program if its exit code is not 0. */
export async function runProgram(program: string, project: string, node: string): Promise<void> {
  await run(node, [program], { cwd: project });
}
