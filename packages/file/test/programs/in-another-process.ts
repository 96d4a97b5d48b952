import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs a program of this directory to its end in a process of its own, and returns what it printed. */
export async function inAnotherProcess(program: string, ...args: string[]): Promise<string> {
  const file = join(import.meta.dirname, program);
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@keepsake/source', file, ...args]);
  return stdout;
}
