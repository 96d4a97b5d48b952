import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProgram } from '@keepsake/testing';

const PROGRAM = join(import.meta.dirname, 'programs/use-config.ts');
const INSTALLED = join(import.meta.dirname, '../../../node_modules');

/** Writes files into a directory, by path. */
export function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

/** Makes the packages of the workspace those that a directory has installed. */
export function install(directory: string): void {
  symlinkSync(INSTALLED, join(directory, 'node_modules'));
}

/**
 * Opens the configuration in a separate process, as a program of a user does, and calls its parts in order. Returns what each
 * of them is, or the code and message of its error.
 */
export async function useConfig(
  directory: string,
  parts: readonly string[] = ['memory'],
  options: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly path?: string; readonly results: readonly string[]; readonly printed: readonly string[] }> {
  const { stdout, stderr } = await runProgram(PROGRAM, [JSON.stringify(options), ...parts], { cwd: directory });
  const lines = stdout.trimEnd().split('\n');
  const last = lines.pop();
  if (!last?.startsWith('{')) throw new Error(`The program has no result: ${stdout}${stderr}`);
  return { ...JSON.parse(last), printed: lines };
}
