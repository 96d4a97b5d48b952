import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outsideImports, packageOf } from './imports.ts';
import type { Package } from './packages.ts';
import { run } from './run.ts';

const PROGRAMS = join(import.meta.dirname, '../programs');

/**
 * Copies the program that shows a package at work into a project, and returns where it is.
 *
 * @throws Error when there is none: each package has one.
 */
export function placeProgram(name: string, project: string): string {
  const file = `${name.replace('@keepsake/', '')}.mjs`;
  if (!existsSync(join(PROGRAMS, file))) {
    throw new Error(`${name} has no program. Write tools/publishing/programs/${file}: see its neighbours.`);
  }
  copyFileSync(join(PROGRAMS, file), join(project, 'program.mjs'));
  return join(project, 'program.mjs');
}

/** The packages of this repository that a program imports. */
export function importedBy(program: string, packages: readonly Package[]): string[] {
  const imported = outsideImports(readFileSync(program, 'utf8')).map(packageOf);
  return packages.map(({ name }) => name).filter((name) => imported.includes(name));
}

/** @throws Error with what the program wrote, when it does not end with code 0. */
export async function runProgram(program: string, project: string, node: string): Promise<void> {
  await run(node, [program], { cwd: project });
}
