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

/** What came of opening a configuration. */
export interface Outcome {
  readonly path?: string;
  /** What each part is, or the code and message of its error. */
  readonly results: readonly string[];
}

/** A configuration to open: the directory of the program, its options, and the parts that it calls in order. */
interface Use {
  readonly cwd: string;
  readonly options: object;
  readonly parts: readonly string[];
}

/** Opens configurations in a separate process, as programs of users do, one after the other. */
export async function useConfigs(directory: string, uses: readonly Use[]): Promise<readonly Outcome[]> {
  const { stdout, stderr } = await runProgram(PROGRAM, [JSON.stringify(uses)], { cwd: directory });
  const last = stdout.trimEnd().split('\n').at(-1);
  if (!last?.startsWith('[')) throw new Error(`The program has no result: ${stdout}${stderr}`);
  return JSON.parse(last);
}
