import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fillOnce } from '@keepsake/testing/fill-once';
import { npm } from '@keepsake/testing/npm';

const LOCKED = join(import.meta.dirname, '../official');
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/keepsake-mcp-official');

/** Where the official programs are. The first call installs them from npm, as `official/` locks them. */
export async function installOfficial(): Promise<string> {
  const lock = createHash('sha256').update(readFileSync(join(LOCKED, 'package-lock.json')));
  const directory = join(CACHE, lock.digest('hex').slice(0, 16));
  await fillOnce(directory, async (unfinished) => {
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(LOCKED, file), join(unfinished, file));
    await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: unfinished });
  });
  return join(directory, 'node_modules/@modelcontextprotocol');
}

/** Runs a program of the official packages, and returns what it prints. A failure rejects, with `code` and `stdout`. */
export async function runOfficial(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    cwd,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
