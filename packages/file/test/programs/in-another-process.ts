import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs a program of this directory in a separate process until it ends. Returns its output. */
export async function inAnotherProcess(program: string, ...args: string[]): Promise<string> {
  const file = join(import.meta.dirname, program);
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@keepsake/source', file, ...args]);
  return stdout;
}
