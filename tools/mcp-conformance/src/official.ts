import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installApart } from '@keepsake/testing/install-apart';

/** Where the official programs are. The first call installs them from npm, as `official/` locks them. */
export async function installOfficial(): Promise<string> {
  return join(await installApart(join(import.meta.dirname, '../official')), '@modelcontextprotocol');
}

/** Runs a program of the official packages, and returns what it prints. A failure rejects, with `code` and `stdout`. */
export async function runOfficial(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    cwd,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
